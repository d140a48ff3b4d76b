// A thing on the page, as a node names it.
import type { Locator, Page } from '@playwright/test';
import { RecipeError } from '../evidence/failure.js';

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
};

/** Selector, test id, role or label, else text; with a text beside it, the element that has the text. */
export function locate(page: Page, target: Target): Locator {
  const { text, exact = false } = target;
  const found = placeOf(page, target);
  if (found) return text === undefined ? found : found.filter({ hasText: exact ? wholeText(text) : text });
  if (text !== undefined) return exact ? page.getByText(text, { exact }) : page.getByText(text);
  throw new RecipeError(
    'ui.no_target',
    'action',
    'The node names no target. Give it "selector", "test_id", "text", or "role" and "name".',
  );
}

/** Where it is, whatever it says. */
export function placeOf(page: Page, target: Target): Locator | undefined {
  const { selector, role, name, label, exact = false } = target;
  const testId = testIdOf(target);
  if (selector !== undefined) return page.locator(selector);
  if (testId !== undefined) return byTestId(page, testId);
  if (role !== undefined) return page.getByRole(role as Role, name === undefined ? {} : { name, exact });
  return label === undefined ? undefined : page.getByLabel(label, { exact });
}

type Role = Parameters<Page['getByRole']>[0];

export function testIdOf({ test_id, testID, target }: Target): string | undefined {
  return test_id ?? testID ?? target;
}

/** One of these is on the page for the eye: of elements that match, those whose text is shown, all of it. */
export function shown(page: Page, found: Locator): Locator {
  // What an element says counts hidden parts of it, so that it may not have any.
  const hasNot = unseen.get(page) ?? page.getByText(/\S/).filter({ visible: false });
  unseen.set(page, hasNot);
  return found.filter({ visible: true, hasNot }).first();
}

const unseen = new WeakMap<Page, Locator>();

/** The words for it in messages, and by which the run remembers that it was there. */
export function describeTarget(target: Target): string {
  const { selector, role, name, label, text, exact } = target;
  const testId = testIdOf(target);
  const parts = [
    selector,
    testId && `test id ${JSON.stringify(testId)}`,
    role && (name === undefined ? `role ${role}` : `role ${role} named ${JSON.stringify(name)}`),
    label && `label ${JSON.stringify(label)}`,
    text && `text ${JSON.stringify(text)}`,
  ];
  return `${parts.filter(Boolean).join(' with ')}${exact ? ' exactly' : ''}`;
}

/** The same for what is in the page, shown or not. */
export function presentOnly(target: Target): string {
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

export const testIdAttributes = ['data-testid', 'data-test-id', 'data-test'];
