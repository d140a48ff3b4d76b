// A thing on the page, as a node names it.
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
  /** Parts of what it says, all of them in one element. */
  contains?: readonly string[] | undefined;
};

/** Selector, test id, role or label, else text; with texts beside it, the element that has all of them. */
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
    'The node names no target. Give it "selector", "test_id", "text", or "role" and "name".',
  );
}

/** Where it is, whatever it says: one element that is all that the target says of it. */
export function locatePlace(page: Page, target: Target): Locator | undefined {
  const { selector, role, name, label, exact = false } = target;
  const ways = [
    ...(selector === undefined ? [] : [page.locator(selector)]),
    ...testIdsOf(target).map((id) => byTestId(page, id)),
    ...(role === undefined ? [] : [page.getByRole(role as Role, name === undefined ? {} : { name, exact })]),
    ...(label === undefined ? [] : [page.getByLabel(label, { exact })]),
  ];
  return ways.length === 0 ? undefined : ways.reduce((both, way) => both.and(way));
}

/** The target without what it says. */
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

/** One of these is on the page for the eye: of elements that match, those whose text is shown, all of it. */
export function locateShown(page: Page, found: Locator): Locator {
  // What an element says counts hidden parts of it, so that it may not have any.
  const hasNot = hiddenTexts.get(page) ?? page.getByText(/\S/).filter({ visible: false });
  hiddenTexts.set(page, hasNot);
  return found.filter({ visible: true, hasNot }).first();
}

const hiddenTexts = new WeakMap<Page, Locator>();

/** The words for it in messages. */
export function describeTarget(target: Target): string {
  const { selector, role, name, label, text, exact, contains = [] } = target;
  const parts = [
    selector,
    ...testIdsOf(target).map((id) => `test id ${JSON.stringify(id)}`),
    role && (name === undefined ? `role ${role}` : `role ${role} named ${JSON.stringify(name)}`),
    label && `label ${JSON.stringify(label)}`,
    text && `text ${JSON.stringify(text)}`,
  ];
  const inIt = contains.length === 0 ? '' : ` that contains ${contains.map((part) => JSON.stringify(part)).join(' and ')}`;
  return `${parts.filter(Boolean).join(' with ')}${exact ? ' exactly' : ''}${inIt}`;
}

/** By which the run remembers what it saw: each text in an element is a sight of its own. */
export function getSightKeys(target: Target): string[] {
  const { contains = [] } = target;
  if (contains.length === 0) return [describeTarget(target)];
  return contains.map((part) => describeTarget({ ...target, contains: [part] }));
}

/** The same for what is in the page, shown or not. */
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

// What getByTestId makes of several attributes, which it takes from the config of the project: one part costs less than three with `or`.
function byTestId(page: Page, id: string): Locator {
  return page.locator(`internal:testid=["${testIdAttributes.join(',')}"="${id.replace(/[\\"]/g, '\\$&')}"s]`);
}

const testIdAttributes = ['data-testid', 'data-test-id', 'data-test'];
