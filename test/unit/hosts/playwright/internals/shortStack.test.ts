import { afterEach, describe, expect, test } from 'vitest';
import { createCallAt, withShortStack } from '../../../../../src/hosts/playwright/internals/shortStack.js';

const before = Error.prepareStackTrace;
afterEach(() => {
  Error.prepareStackTrace = before;
});

describe('the stack of a call', () => {
  test('of others is told as they have it told, and told so again afterwards', () => {
    const theirs = (): string => 'as they like it';
    Error.prepareStackTrace = theirs;
    expect(withShortStack(() => new Error('one').stack)).toBe('as they like it');
    expect(() => withShortStack(nobody)).toThrow('nobody');
    expect(Error.prepareStackTrace).toBe(theirs);
  });

  test('of others is whole where nobody has it told', () => {
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    const stack = withShortStack(() => new Error('one').stack) ?? '';
    expect(stack).toMatch(/^Error: one\n {4}at .*shortStack\.test\.ts:\d+:\d+/);
    expect(stack.split('\n').length).toBeGreaterThan(4);
  });
});

describe('a call at a place', () => {
  const place = { file: '/shop/cart.recipe.json', line: 12, column: 9 };

  test('gives a promise, whatever the method gives', async () => {
    const helper = { url: () => 'http://shop', fail: nobody };
    await expect(createCallAt(place)(helper, 'url')).resolves.toBe('http://shop');
    await expect(createCallAt(place)(helper, 'fail')).rejects.toThrow('nobody');
  });

  test('stands below the helper that was called', async () => {
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    const helper = { stack: () => new Error('one').stack };
    const [, first = '', ...rest] = (await createCallAt(place)(helper, 'stack'))?.split('\n') ?? [];
    expect(first).toContain('shortStack.test.ts');
    expect(rest.find((line) => !line.includes('Reflect.apply'))).toBe('    at recipe (/shop/cart.recipe.json:12:9)');
  });
});

function nobody(): never {
  throw new Error('nobody');
}
