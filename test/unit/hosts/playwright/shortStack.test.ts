import { afterEach, describe, expect, test } from 'vitest';
import { withShortStack } from '../../../../src/hosts/playwright/shortStack.js';

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

function nobody(): never {
  throw new Error('nobody');
}
