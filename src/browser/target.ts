// Turns the target of a node into a Playwright locator.
import type { Locator, Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';

export type Target = {
  selector?: string | undefined;
  test_id?: string | undefined;
  testID?: string | undefined;
  target?: string | undefined;
  role?: string | undefined;
  name?: string | undefined;
  label?: string | undefined;
  text?: string | undefined;
  exact?: boolean | undefined;
  /** Texts that one element must contain, all of them. */
  contains?: readonly string[] | undefined;
};

/** Locates an element by selector, test id, role or label, otherwise by text. The element must contain all of `contains`. */
export function locate(page: Page, target: Target): Locator {
  return (target.contains ?? []).reduce((locator, hasText) => locator.filter({ hasText }), locateOne(page, target));
}

function locateOne(page: Page, target: Target): Locator {
  const { text, exact = false } = target;
  const place = locatePlace(page, target);
  if (place) return text === undefined ? place : place.filter({ hasText: exact ? wholeText(text) : text });
  if (text !== undefined) return exact ? page.getByText(text, { exact }) : page.getByText(text);
  throw new RecipeError(
    'ui.no_target',
    'action',
    'The node has no target. Add "selector", "test_id", "text", or "role" and "name".',
  );
}

/** Locates an element by all parts of the target except `text` and `contains`. Undefined when there are no other parts. */
export function locatePlace(page: Page, target: Target): Locator | undefined {
  const { selector, role, name, label, exact = false } = target;
  const locators = [
    ...(selector === undefined ? [] : [page.locator(selector)]),
    ...testIdsOf(target).map((id) => byTestId(page, id)),
    ...(role === undefined ? [] : [page.getByRole(role as Role, name === undefined ? {} : { name, exact })]),
    ...(label === undefined ? [] : [page.getByLabel(label, { exact })]),
  ];
  return locators.length === 0 ? undefined : locators.reduce((combined, locator) => combined.and(locator));
}

export function withoutText({ text: _, contains: __, ...place }: Target): Target {
  return place;
}

type Role = Parameters<Page['getByRole']>[0];

export function testIdOf(target: Target): string | undefined {
  return testIdsOf(target)[0];
}

function testIdsOf({ test_id, testID, target }: Target): string[] {
  return [...new Set([test_id, testID, target])].filter((id) => id !== undefined);
}

/** Locates the first visible element without hidden text. */
export function locateVisible(page: Page, elements: Locator): Locator {
  // Playwright matches hidden text, too, so elements with hidden parts are excluded.
  const hasNot = hiddenTexts.get(page) ?? page.getByText(/\S/).filter({ visible: false });
  hiddenTexts.set(page, hasNot);
  return elements.filter({ visible: true, hasNot }).first();
}

const hiddenTexts = new WeakMap<Page, Locator>();

/** Returns a description for messages, such as `role button named "Buy"`. */
export function describeTarget(target: Target): string {
  const { selector, role, name, label, text, exact, contains = [] } = target;
  const parts = [
    selector,
    ...testIdsOf(target).map((id) => `test id ${JSON.stringify(id)}`),
    role && (name === undefined ? `role ${role}` : `role ${role} named ${JSON.stringify(name)}`),
    label && `label ${JSON.stringify(label)}`,
    text && `text ${JSON.stringify(text)}`,
  ];
  const suffix = contains.length === 0 ? '' : ` that contains ${contains.map((part) => JSON.stringify(part)).join(' and ')}`;
  return `${parts.filter(Boolean).join(' with ')}${exact ? ' exactly' : ''}${suffix}`;
}

/** Keys for `RunPages.seenTargets`: one for each text of `contains`, because each text can disappear alone. */
export function getVisibleKeys(target: Target): string[] {
  const { contains = [] } = target;
  if (contains.length === 0) return [describeTarget(target)];
  return contains.map((part) => describeTarget({ ...target, contains: [part] }));
}

/** Key for `RunPages.seenTargets` of an element that is in the page, visible or not. */
export function getPresenceKey(target: Target): string {
  return `${describeTarget(target)} in the page`;
}

function wholeText(text: string): RegExp {
  const words = text
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^\\s*${words.join('\\s+')}\\s*$`);
}

// getByTestId knows one attribute, from the project's config. Playwright's internal selector takes several, which is faster than `or`.
function byTestId(page: Page, id: string): Locator {
  return page.locator(`internal:testid=["${testIdAttributes.join(',')}"="${id.replace(/[\\"]/g, '\\$&')}"s]`);
}

const testIdAttributes = ['data-testid', 'data-test-id', 'data-test'];
