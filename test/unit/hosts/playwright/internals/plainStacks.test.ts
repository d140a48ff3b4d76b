import { runInThisContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

type Module = typeof import('../../../../../src/hosts/playwright/internals/plainStacks.js');
let tellPlainStacks: Module['tellPlainStacks'];

const before = Error.prepareStackTrace;
let asked: string[];

beforeEach(async () => {
  // It is done once in a process.
  vi.resetModules();
  ({ tellPlainStacks } = await import('../../../../../src/hosts/playwright/internals/plainStacks.js'));
  asked = [];
  Error.prepareStackTrace = (error) => {
    asked.push(error.message);
    return 'found in a source map';
  };
});

afterEach(() => {
  Error.prepareStackTrace = before;
});

const playwrights = '/shop/node_modules/playwright-core/lib/coreBundle.js';

describe('a stack', () => {
  test('of Playwright and Node alone is told without asking, with every place', async () => {
    tellPlainStacks(() => true);
    const [head, first, second, ...rest] = (await calledIn(playwrights, playwrights)).split('\n');
    expect(asked).toEqual([]);
    expect(head).toBe('TypeError: one');
    expect(first).toBe(`    at inner (${playwrights}:1:${inner.indexOf('new TypeError') + 1})`);
    expect(second).toContain(`${playwrights}:1:${outer.indexOf('call(') + 1}`);
    expect(rest.length).toBeGreaterThan(0);
    for (const line of rest) expect(line).toMatch(/^ {4}at .*\(node:internal\/.+:\d+:\d+\)$/);
  });

  test.each([
    ['/shop/helpers.ts', playwrights],
    [playwrights, '/shop/helpers.ts'],
    ['/shop/node_modules/playwright-helpers/lib/index.js', playwrights],
    ['/shop/node_modules/playwright/shop/helpers.ts', playwrights],
  ])('of %s, called by %s, is told as before', async (called, caller) => {
    tellPlainStacks(() => true);
    expect(await calledIn(called, caller)).toBe('found in a source map');
    expect(asked).toEqual(['one']);
  });

  test('with text that was evaluated is told as before, for it may have a name of its own', async () => {
    tellPlainStacks(() => true);
    expect(await stackOf(`(done) => setImmediate(() => done(eval(${JSON.stringify("new Error('one').stack")})))`)).toBe(
      'found in a source map',
    );
  });

  test('leaves out "async" before a file, and only there', async () => {
    tellPlainStacks(() => true);
    const told = await stackOf(`async (done) => {
      const inner = async () => { await null; return new Error('one').stack; };
      const outer = async () => (await Promise.all([inner()]))[0];
      done(await outer());
    }`);
    expect(told.split('\n').map((line) => line.replace(/ \(\/.*/, ''))).toEqual([
      'Error: one',
      '    at inner',
      '    at async Promise.all (index 0)',
      '    at outer',
      expect.stringContaining(`${playwrights}:4:`),
    ]);
  });

  test('of something without a name or a message has a head', async () => {
    tellPlainStacks(() => true);
    const told = (make: string) =>
      stackOf(`(done) => setImmediate(() => { const error = ${make}; Error.captureStackTrace(error); done(error.stack); })`);
    expect(await told('{}')).toMatch(/^Error: \n {4}at /);
    expect(await told("{ name: '', message: 'one' }")).toMatch(/^Error: one\n {4}at /);
  });

  test('is told as before where it is not wanted otherwise', async () => {
    let isWanted = false;
    tellPlainStacks(() => isWanted);
    expect(await calledIn(playwrights, playwrights)).toBe('found in a source map');
    isWanted = true;
    expect(await calledIn(playwrights, playwrights)).toContain(playwrights);
  });

  test('is told once, however often that is asked for', () => {
    tellPlainStacks(() => true);
    const first = Error.prepareStackTrace;
    tellPlainStacks(() => true);
    expect(Error.prepareStackTrace).toBe(first);
  });

  test('is not touched where nobody looks for anything', () => {
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    tellPlainStacks(() => true);
    expect(Error.prepareStackTrace).toBeUndefined();
  });
});

const inner = '(function inner(done) { done(new TypeError("one").stack); })';
const outer = '(call, done) => { setImmediate(() => { call(done); }); }';

/** The stack of an error that code of one file makes, called by another one when nobody else is at work. */
function calledIn(called: string, caller: string): Promise<string> {
  const call = compile(inner, called);
  return new Promise((resolve) => compile(outer, caller)(call, resolve));
}

function stackOf(source: string): Promise<string> {
  return new Promise((resolve) => compile(source, playwrights)(resolve));
}

function compile(source: string, filename: string): (...given: unknown[]) => unknown {
  return runInThisContext(source, { filename }) as () => unknown;
}
