import { test as playwrightTest } from '@playwright/test';
import { expect, test } from 'vitest';
import {
  declareTestAt,
  isInDescribe,
  readFixtureNames,
  setTestFileTitle,
} from '../../../../../src/hosts/playwright/internals/testType.js';

const place = { file: '/shop/cart.recipe.json', line: 12, column: 9 };
const details = { tag: ['@recipe'] };

type Declared = { method: string; title: string; details: object; body: object; stack: string };

/** Creates a `test` without the internal object of Playwright. */
function createPlainTest(): { test: object; declared: Declared[] } {
  const declared: Declared[] = [];
  const declare =
    (method: string) =>
    (title: string, details: object, body: object): void => {
      const { stack = '' } = new Error();
      declared.push({ method, title, details, body, stack });
    };
  return { test: Object.assign(declare('test'), { skip: declare('test.skip') }), declared };
}

test('without the private method of Playwright, a test is declared by a call at the place of the test', () => {
  const plain = createPlainTest();
  declareTestAt(plain.test, { kind: 'default', place, title: 'Runs', details, fixtures: ['page', 'recipeRun'] }, async () => {});
  declareTestAt(plain.test, { kind: 'skip', place, title: 'Skipped', details, fixtures: [] }, async () => {});
  expect(plain.declared).toMatchObject([
    { method: 'test', title: 'Runs', details },
    { method: 'test.skip', title: 'Skipped', details },
  ]);
  for (const { stack } of plain.declared) expect(stack).toContain('/shop/cart.recipe.json:12:9');
  expect(String(plain.declared[0]?.body)).toContain('async ({ page, recipeRun }, testInfo)');
});

test('without the private object of Playwright, fixtures and describe blocks are unknown, and the title of the file stays', () => {
  const { test: plainTest } = createPlainTest();
  expect(readFixtureNames(plainTest)).toBeUndefined();
  expect(isInDescribe(plainTest)).toBe(false);
  expect(() => setTestFileTitle(plainTest, 'recipes')).not.toThrow();
});

test('the fixtures of a Playwright test are those of the project and the built-in ones', () => {
  const extended = playwrightTest.extend<{ shop: string }>({ shop: async ({ page: _page }, use) => use('shop') });
  const names = readFixtureNames(extended);
  expect(names).toContain('shop');
  expect(names).toContain('page');
});
