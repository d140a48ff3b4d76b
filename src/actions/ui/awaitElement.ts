// Waits until an element or a text appears on the page, or disappears, and remembers what appeared.
import type { Locator } from '@playwright/test';
import { evaluateOnElements } from '../../browser/pageCalls.js';
import { refuseBlankPage } from '../../browser/pageFacts.js';
import { runPagesOf } from '../../browser/runPages.js';
import {
  describeTarget,
  getPresenceKey,
  getVisibleKeys,
  locate,
  locatePlace,
  locateVisible,
  type Target,
} from '../../browser/target.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { describePage } from './actOnElement.js';
import { refuseWrongPage } from './awaitPage.js';
import { awaitLoad } from './readPage.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

/** Waits for a target. With the state `present` an element may be hidden, but a text must be visible. */
export async function awaitPresence(context: ActionContext, target: Target, state: 'present' | 'visible'): Promise<undefined> {
  const page = pageOf(context);
  const matches = locate(page, target);
  const { text, exact = false, contains = [] } = target;
  const isText = text !== undefined || contains.length > 0;
  const waitUntil = (elementState: 'visible' | 'attached', element: Locator) =>
    context.call(element.describe(describeTarget(target)), 'waitFor', { state: elementState, timeout: pageTimeoutMs(context) });
  if (isText) {
    const locateContainers = (): Locator => locatePlace(page, target) ?? page.locator('body');
    const waitForVisible = () => waitUntil('visible', locateVisible(page, matches));
    await withPageErrors(() => awaitText(context, { text, exact, contains, locateContainers, waitForVisible }), context);
  } else if (state === 'visible')
    await withPageErrors(() => waitUntil('visible', matches.filter({ visible: true }).first()), context);
  else await withPageErrors(() => waitUntil('attached', matches.first()), context);
  const keys = isText || state === 'visible' ? getVisibleKeys(target) : [getPresenceKey(target)];
  for (const key of keys) runPagesOf(page).seenTargets.add(key);
}

// An absence proves something only when the target was there before, and when the page is a page of the app.

export type Absence = {
  state: 'absent' | 'not_present' | 'hidden';
  /** The node claims that the target was never there. */
  isInitial: boolean;
};

const absencePurpose = 'assert an absence on';

export async function awaitAbsence(context: ActionContext, target: Target, { state, isInitial }: Absence): Promise<undefined> {
  const page = pageOf(context);
  refuseBlankPage(page.url(), absencePurpose);
  // An element that stays and only changes its text has not disappeared.
  const matches = locate(page, { ...target, contains: undefined });
  // For a user, a hidden text has disappeared.
  const mustBeVisible = state === 'hidden' || target.text !== undefined;
  const element = mustBeVisible ? matches.filter({ visible: true }).first() : matches.first();
  const { seenTargets } = runPagesOf(page);
  const wasVisible = getVisibleKeys(target).every((key) => seenTargets.has(key));
  const wasSeen = wasVisible || (!mustBeVisible && seenTargets.has(getPresenceKey(target)));
  if (!isInitial && !wasSeen) await requireSeenBefore(context, target, state === 'hidden' ? 'visible' : 'present');
  await awaitDetached(context, element);
  // A page that is still loading is empty, so the element is checked again after the load.
  await withPageErrors(() => awaitLoad(context, page, { state: 'domcontentloaded', timeout: pageTimeoutMs(context) }), context);
  await awaitDetached(context, element);
  await refuseWrongPage(context, absencePurpose);
  return undefined;
}

async function awaitDetached(context: ActionContext, element: Locator): Promise<void> {
  await withPageErrors(() => context.call(element, 'waitFor', { state: 'detached', timeout: pageTimeoutMs(context) }), context);
}

async function requireSeenBefore(context: ActionContext, target: Target, state: 'present' | 'visible'): Promise<void> {
  try {
    await awaitPresence(context, target, state);
  } catch (thrown) {
    const error = toRecipeError(thrown);
    if (error.code !== 'ui.refused' || !/Timeout \d+ms exceeded/.test(error.message)) throw error;
    const hints = await describePage(context, target);
    const message = `This run never saw ${describeTarget(target)}, so its absence proves nothing. Wait for the same target with "expected": "visible" before it disappears, or set "initial": true if it must never appear.${hints}`;
    throw new RecipeError('ui.never_seen', 'assertion', message);
  }
}

// Waits until a text is visible. Text in hidden elements and in the HUD does not count.

export type TextWait = {
  text?: string | undefined;
  /** The text must be a whole line, or the whole text of an element. */
  exact: boolean;
  /** Further texts, in the same element. */
  contains?: readonly string[];
  /** Locates the elements that may contain the text. */
  locateContainers(): Locator;
  /** Waits, with a single call, for an element that contains the text and has no hidden part. */
  waitForVisible(): Promise<void>;
};

const firstPollMs = 300;

/**
 * Also finds the text in an element with hidden parts, by reading the visible text of the page. Each read is a call to the page,
 * so the reads begin after a delay.
 */
export async function awaitText(context: ActionContext, wait: TextWait): Promise<void> {
  let stopPolling = (): void => undefined;
  const becomesVisible = new Promise<void>((resolve) => {
    stopPolling = pollVisibleText(context, wait, resolve);
  });
  try {
    // Only `waitForVisible` can fail. Its error message is better than a message of the polling would be.
    await Promise.race([wait.waitForVisible(), becomesVisible]);
  } finally {
    stopPolling();
  }
}

/** Calls `onFound` when the text is visible. Returns a function that stops the polling. */
function pollVisibleText(
  context: ActionContext,
  { text, exact, contains = [], locateContainers }: TextWait,
  onFound: () => void,
): () => void {
  let isStopped = false;
  let cancelTimer = (): void => undefined;
  const poll = async (pauseMs: number): Promise<void> => {
    const isVisible = await evaluateOnElements(context.call, locateContainers(), {
      run: showsText,
      argument: { text, exact, contains },
    }).catch(returnFalse);
    if (isVisible) onFound();
    else if (!isStopped) schedulePoll(pauseMs);
  };
  const schedulePoll = (pauseMs: number): void => {
    // The last poll comes just before the timeout.
    const remainingMs = context.remainingMs() - 150;
    if (remainingMs <= 0 || context.signal.aborted) return;
    cancelTimer = context.clock.after(Math.min(pauseMs, remainingMs), () => void (context.signal.aborted || poll(pauseMs * 2)));
  };
  schedulePoll(firstPollMs);
  return () => {
    isStopped = true;
    cancelTimer();
  };
}

// The page navigates or is closed. `waitForVisible` reports it.
const returnFalse = (_: unknown): boolean => false;

/** Runs in the page. */
const showsText = (items: readonly object[], { text = '', exact, contains }: ExpectedText): boolean => {
  const normalize = (value: string): string => value.replace(/\s+/g, ' ').trim();
  const normalizeLowerCase = (value: string): string => normalize(value).toLowerCase();
  return items.some((item) => {
    const { innerText = '' } = item as TextElement;
    // For a hidden element, innerText also contains the hidden text.
    if (!(item as TextElement).checkVisibility({ visibilityProperty: true })) return false;
    const isWholeText = (): boolean =>
      normalize(innerText) === normalize(text) || innerText.split('\n').map(normalize).includes(normalize(text));
    const parts = text === '' || exact ? contains : [text, ...contains];
    const containsParts = parts.every((part) => normalizeLowerCase(innerText).includes(normalizeLowerCase(part)));
    return (text === '' || !exact || isWholeText()) && containsParts;
  });
};

type ExpectedText = { text?: string | undefined; exact: boolean; contains: readonly string[] };
type TextElement = { innerText?: string; checkVisibility(options: object): boolean };
