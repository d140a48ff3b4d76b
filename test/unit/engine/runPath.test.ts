import { expect, test } from 'vitest';
import { formatStep, joinPath, withoutAttempt } from '../../../src/engine/runPath.js';

test('a run path has item, visit and attempt in this order, and leaves out the first visit and the first attempt', () => {
  expect(formatStep({ id: 'child', visit: 1, attempt: 0 })).toBe('child');
  expect(formatStep({ id: 'child', item: 0, visit: 1, attempt: 0 })).toBe('child[0]');
  expect(formatStep({ id: 'child', visit: 2, attempt: 0 })).toBe('child#2');
  expect(formatStep({ id: 'child', visit: 1, attempt: 1 })).toBe('child@1');
  expect(formatStep({ id: 'child', item: 3, visit: 2, attempt: 1 })).toBe('child[3]#2@1');
});

test('the path of a node begins with the path of the node whose body it is in', () => {
  expect(joinPath('call', { id: 'child', item: 3, visit: 2, attempt: 1 })).toBe('call/child[3]#2@1');
  expect(joinPath(undefined, { id: 'child', visit: 1, attempt: 0 })).toBe('child');
});

test('all attempts of a visit share one path once the attempt is removed', () => {
  expect(withoutAttempt('call@2/child#2@12')).toBe('call@2/child#2');
  expect(withoutAttempt('call@2/child#2')).toBe('call@2/child#2');
});
