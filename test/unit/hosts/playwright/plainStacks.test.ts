import { runInThisContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tellPlainStacks } from '../../../../src/hosts/playwright/plainStacks.js';

const before = Error.prepareStackTrace;
let asked: string[];
const theirs: typeof Error.prepareStackTrace = (error) => {
  asked.push(error.message);
  return 'found in a source map';
};

beforeEach(() => {
  asked = [];
  Error.prepareStackTrace = theirs;
});

afterEach(() => {
  Error.prepareStackTrace = before;
});

const playwrights = '/shop/node_modules/playwright-core/lib/coreBundle.js';

test('of Playwright alone is told without asking, with every place and without "async"', async () => {
  const stop = tellPlainStacks();
  const stack = await soonIn(playwrights);
  stop();
  expect(asked).toEqual([]);
  const [head, first, second, ...rest] = stack.split('\n');
  expect(head).toBe('TypeError: one');
  expect(first).toBe(`    at inner (${playwrights}:1:${source.indexOf('new TypeError') + 1})`);
  expect(second).toBe(`    at outer (${playwrights}:1:${source.indexOf('await inner') + 1})`);
  for (const line of rest) expect(line).toMatch(/^ {4}at .*\((node:|<anonymous>)|^ {4}at node:/);
});

test.each(['/shop/helpers.ts', '/shop/node_modules/playwright-helpers/index.js'])(
  'with a part of %s is told as before',
  async (file) => {
    const stop = tellPlainStacks();
    const stack = await soonIn(file);
    stop();
    expect(stack).toBe('found in a source map');
    expect(asked).toEqual(['one']);
  },
);

test('is told as before when that is over', async () => {
  tellPlainStacks()();
  expect(Error.prepareStackTrace).toBe(theirs);
  expect(await soonIn(playwrights)).toBe('found in a source map');
});

test('is left to whoever took it over in the meantime', () => {
  const stop = tellPlainStacks();
  const others = (): string => 'another way';
  Error.prepareStackTrace = others;
  stop();
  expect(Error.prepareStackTrace).toBe(others);
});

test('is not touched where nobody looks for anything', () => {
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  const stop = tellPlainStacks();
  expect(Error.prepareStackTrace).toBeUndefined();
  stop();
  expect(Error.prepareStackTrace).toBeUndefined();
});

const source =
  '(done) => { const inner = async () => { await null; return new TypeError("one").stack; }; const outer = async () => { done(await inner()); }; setImmediate(() => outer()); }';

/** The stack of an error that code of a file makes when nobody else is at work. */
function soonIn(file: string): Promise<string> {
  const start = runInThisContext(source, { filename: file }) as (done: (stack: string) => void) => void;
  return new Promise(start);
}
