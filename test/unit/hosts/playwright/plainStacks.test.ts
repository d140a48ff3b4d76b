import { runInThisContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

type Module = typeof import('../../../../src/hosts/playwright/plainStacks.js');
let tellPlainStacks: Module['tellPlainStacks'];

const before = Error.prepareStackTrace;
let asked: string[];

beforeEach(async () => {
  // It is done once in a process.
  vi.resetModules();
  ({ tellPlainStacks } = await import('../../../../src/hosts/playwright/plainStacks.js'));
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
  test('of Playwright alone is told without asking, with every place and without "async"', async () => {
    tellPlainStacks(() => true);
    const [head, first, second, ...rest] = (await soonIn(playwrights)).split('\n');
    expect(asked).toEqual([]);
    expect(head).toBe('TypeError: one');
    expect(first).toBe(`    at inner (${playwrights}:1:${source.indexOf('new TypeError') + 1})`);
    expect(second).toBe(`    at outer (${playwrights}:1:${source.indexOf('await inner') + 1})`);
    for (const line of rest) expect(line).toMatch(/^ {4}at .*\((node:|<anonymous>)|^ {4}at node:/);
  });

  test.each(['/shop/helpers.ts', '/shop/node_modules/playwright-helpers/index.js'])('of %s is told as before', async (file) => {
    tellPlainStacks(() => true);
    expect(await soonIn(file)).toBe('found in a source map');
    expect(asked).toEqual(['one']);
  });

  test('is told as before where it is not wanted otherwise', async () => {
    let isWanted = false;
    tellPlainStacks(() => isWanted);
    expect(await soonIn(playwrights)).toBe('found in a source map');
    isWanted = true;
    expect(await soonIn(playwrights)).toContain(playwrights);
  });

  test('is told once, however often that is asked for', async () => {
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

const source =
  '(done) => { const inner = async () => { await null; return new TypeError("one").stack; }; const outer = async () => { done(await inner()); }; setImmediate(() => outer()); }';

/** The stack of an error that code of a file makes when nobody else is at work. */
function soonIn(file: string): Promise<string> {
  const start = runInThisContext(source, { filename: file }) as (done: (stack: string) => void) => void;
  return new Promise(start);
}
