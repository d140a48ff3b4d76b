import { afterEach, expect, test } from 'vitest';
import { createCallAt, withShortStack } from '../../../../../src/hosts/playwright/internals/shortStack.js';

const { prepareStackTrace } = Error;
afterEach(() => {
  Error.prepareStackTrace = prepareStackTrace;
});

const place = { file: '/shop/cart.recipe.json', line: 12, column: 9 };

test('the formatter of the project formats stacks that Playwright does not capture, and stays installed', () => {
  const format = (): string => 'formatted by the project';
  Error.prepareStackTrace = format;
  expect(withShortStack(() => new Error('one').stack)).toBe('formatted by the project');
  expect(() => withShortStack(fail)).toThrow('the call failed');
  expect(Error.prepareStackTrace).toBe(format);
});

test('a stack that Playwright does not capture is not shortened in a project without a formatter', () => {
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  const stack = withShortStack(() => new Error('one').stack) ?? '';
  expect(stack).toMatch(/^Error: one\n {4}at .*shortStack\.test\.ts:\d+:\d+/);
  expect(stack.split('\n').length).toBeGreaterThan(4);
});

test('a call at a place returns a promise, even if the method returns a value or throws', async () => {
  const helper = { url: () => 'http://shop', fail };
  await expect(createCallAt(place)(helper, 'url')).resolves.toBe('http://shop');
  await expect(createCallAt(place)(helper, 'fail')).rejects.toThrow('the call failed');
});

test('the stack of a call at a place shows the place below the method', async () => {
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  const helper = { stack: () => new Error('one').stack };
  const [, first = '', ...rest] = (await createCallAt(place)(helper, 'stack'))?.split('\n') ?? [];
  expect(first).toContain('shortStack.test.ts');
  expect(rest.find((line) => !line.includes('Reflect.apply'))).toBe('    at recipe (/shop/cart.recipe.json:12:9)');
});

function fail(): never {
  throw new Error('the call failed');
}
