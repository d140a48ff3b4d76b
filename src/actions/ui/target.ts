// How a node names a thing on the page.
import { stripVTControlCharacters } from 'node:util';
import type { Locator, Page } from '@playwright/test';
import * as z from 'zod';
import type { RecipeNode } from '../../dialects/recipe.js';
import { RecipeError } from '../../evidence/failure.js';
import type { ActionContext } from '../action.js';

const text = z.string().min(1).optional();

/** An element by where it is. */
export const placeFields = {
  selector: text.describe('A CSS selector, or any selector Playwright knows.'),
  test_id: text.describe('The value of data-testid, data-test-id or data-test.'),
  testID: text.describe('The same as test_id.'),
  target: text.describe('A name the project knows; a test id where it knows none.'),
};

/** An element by where it is or by what it says. */
export const targetFields = { ...placeFields, text: text.describe('A text it shows.') };

export function lacksTarget({ fields }: Pick<RecipeNode, 'fields'>, others: readonly string[] = ['text']): string | undefined {
  const names = [...Object.keys(placeFields), ...others];
  return names.some((name) => fields[name] !== undefined)
    ? undefined
    : `a target: ${['selector', 'test_id', ...others].join(', ')}`;
}

export type Target = {
  selector?: string | undefined;
  test_id?: string | undefined;
  testID?: string | undefined;
  target?: string | undefined;
  text?: string | undefined;
};

export function pageOf({ fixtures }: ActionContext): Page {
  return fixtures.page as Page;
}

/** Selector or test id, else text; with both, the element that has the text. */
export function locate(page: Page, target: Target): Locator {
  const testId = target.test_id ?? target.testID ?? target.target;
  const found =
    target.selector !== undefined ? page.locator(target.selector) : testId === undefined ? undefined : byTestId(page, testId);
  if (found) return target.text === undefined ? found : found.filter({ hasText: target.text });
  if (target.text !== undefined) return page.getByText(target.text);
  throw new RecipeError('ui.no_target', 'action', 'The node names no target: give selector, test_id or text.');
}

export function describeTarget(target: Target): string {
  const testId = target.test_id ?? target.testID ?? target.target;
  const parts = [
    target.selector,
    testId && `test id ${JSON.stringify(testId)}`,
    target.text && `text ${JSON.stringify(target.text)}`,
  ];
  return parts.filter(Boolean).join(' with ');
}

// Playwright parses CSS some five times per action and sends the parsed tree along; these short forms it takes as they are.
function byTestId(page: Page, id: string): Locator {
  const [first, ...others] = testIdAttributes.map((name) =>
    page.locator(isPlain.test(id) ? `${name}=${id}` : `[${name}=${JSON.stringify(id)}]`),
  );
  return others.reduce((found, other) => found.or(other), first as Locator);
}

const testIdAttributes = ['data-testid', 'data-test-id', 'data-test'];
const isPlain = /^[\w.:-]+$/;

const gone = /Target (page, context or browser has been closed|crashed|closed)|browser has been closed|Browser closed/;

/** Runs page calls; what the page refused is the product's failure, a browser that went away is the environment's. */
export async function drive<T>(calls: () => Promise<T>): Promise<T> {
  try {
    return await calls();
  } catch (thrown) {
    if (thrown instanceof RecipeError || !(thrown instanceof Error)) throw thrown;
    const lost = gone.test(thrown.message);
    const error = new RecipeError(
      lost ? 'ui.browser_gone' : 'ui.refused',
      lost ? 'environment' : 'action',
      stripVTControlCharacters(thrown.message),
    );
    // Playwright shows the first line of a stack that lies outside of node_modules: keep where the call was made.
    if (thrown.stack) error.stack = thrown.stack;
    throw error;
  }
}
