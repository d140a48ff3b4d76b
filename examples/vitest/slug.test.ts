import { expect, test } from 'vitest';
import { slugOf } from './slug.mjs';

test('a title becomes an address', () => {
  expect(slugOf('  Crème brûlée, twice! ')).toBe('creme-brulee-twice');
});
