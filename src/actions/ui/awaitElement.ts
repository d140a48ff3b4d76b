// Waits until something is there, or is shown, and remembers that it was.
import type { Locator } from '@playwright/test';
import { evaluateOnElements } from '../../browser/pageCalls.js';
import { refuseBlankPage } from '../../browser/pageFacts.js';
import { runPagesOf } from '../../browser/runPages.js';
import {
  describeTarget,
  getPresenceKey,
  getSightKeys,
  locate,
  locatePlace,
  locateShown,
  type Target,
} from '../../browser/target.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { describePage } from './actOnElement.js';
import { refuseWrongPage } from './awaitPage.js';
import { awaitLoad } from './readPage.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

/** A text counts when it is shown, also where being present is enough for an element. */
export async function awaitPresence(context: ActionContext, target: Target, state: 'present' | 'visible'): Promise<undefined> {
  const page = pageOf(context);
  const found = locate(page, target);
  const { text, exact = false, contains = [] } = target;
  const isText = text !== undefined || contains.length > 0;
  const wait = (element: Locator, until: 'visible' | 'attached') =>
    context.call(element.describe(describeTarget(target)), 'waitFor', { state: until, timeout: pageTimeoutMs(context) });
  if (isText) {
    const place = (): Locator => locatePlace(page, target) ?? page.locator('body');
    const fast = () => wait(locateShown(page, found), 'visible');
    await withPageErrors(() => awaitText(context, { text, exact, contains, place, fast }), context);
  } else if (state === 'visible') await withPageErrors(() => wait(found.filter({ visible: true }).first(), 'visible'), context);
  else await withPageErrors(() => wait(found.first(), 'attached'), context);
  const sights = isText || state === 'visible' ? getSightKeys(target) : [getPresenceKey(target)];
  for (const sight of sights) runPagesOf(page).seenTargets.add(sight);
}

// Waits until something is gone. What was never there cannot go away, and on no page at all everything is absent.

export type Absence = {
  state: 'absent' | 'not_present' | 'hidden';
  /** The node says that it never was there. */
  isInitial: boolean;
};

const absencePurpose = 'miss something on';

export async function awaitAbsence(context: ActionContext, target: Target, { state, isInitial }: Absence): Promise<undefined> {
  const page = pageOf(context);
  refuseBlankPage(page.url(), absencePurpose);
  // It was there with its texts; it goes as a whole, and not by saying something else.
  const all = locate(page, { ...target, contains: undefined });
  // A text that is in the page and not shown is gone for the reader.
  const isForTheEye = state === 'hidden' || target.text !== undefined;
  const found = isForTheEye ? all.filter({ visible: true }).first() : all.first();
  const { seenTargets } = runPagesOf(page);
  const wasShown = getSightKeys(target).every((sight) => seenTargets.has(sight));
  const wasThere = wasShown || (!isForTheEye && seenTargets.has(getPresenceKey(target)));
  if (!isInitial && !wasThere) await requireSeenBefore(context, target, state === 'hidden' ? 'visible' : 'present');
  await awaitDetached(context, found);
  // While the next page loads, nothing is there yet.
  await withPageErrors(() => awaitLoad(context, page, { state: 'domcontentloaded', timeout: pageTimeoutMs(context) }), context);
  await awaitDetached(context, found);
  await refuseWrongPage(context, absencePurpose);
  return undefined;
}

async function awaitDetached(context: ActionContext, found: Locator): Promise<void> {
  await withPageErrors(() => context.call(found, 'waitFor', { state: 'detached', timeout: pageTimeoutMs(context) }), context);
}

async function requireSeenBefore(context: ActionContext, target: Target, state: 'present' | 'visible'): Promise<void> {
  try {
    await awaitPresence(context, target, state);
  } catch (thrown) {
    const error = toRecipeError(thrown);
    if (error.code !== 'ui.refused' || !/Timeout \d+ms exceeded/.test(error.message)) throw error;
    const what = describeTarget(target);
    const nearby = await describePage(context, target);
    const message = `${what} was never seen by this run under these words, so that its absence proves nothing. Wait for it in the same words with "expected": "visible" before it goes, or say "initial": true when it must never have been there.${nearby}`;
    throw new RecipeError('ui.never_seen', 'assertion', message);
  }
}

// Waits until the page shows a text: not in the source, not in a hidden part, not in the HUD, but for the eye.

export type TextWait = {
  text?: string | undefined;
  /** The text is all of a line, or of the element. */
  exact: boolean;
  /** Further texts, in the same element. */
  contains?: readonly string[];
  /** Where the text is to stand. */
  place(): Locator;
  /** Finds an element all of whose text is shown, at the price of one call. */
  fast(): Promise<void>;
};

const firstLookMs = 300;

/** An element may show the text and hide another part of itself: only a look at what is shown tells. It costs more, and so comes later. */
export async function awaitText(context: ActionContext, wait: TextWait): Promise<void> {
  let withdraw = (): void => undefined;
  const shown = new Promise<void>((resolve) => {
    withdraw = scheduleLooks(context, wait, resolve);
  });
  try {
    // The first one has the better words for a failure, and is the only one that fails.
    await Promise.race([wait.fast(), shown]);
  } finally {
    withdraw();
  }
}

function scheduleLooks(context: ActionContext, { text, exact, contains = [], place }: TextWait, found: () => void): () => void {
  let isOver = false;
  let withdraw = (): void => undefined;
  const look = async (pauseMs: number): Promise<void> => {
    const isShown = await evaluateOnElements(context.call, place(), {
      run: showsText,
      argument: { text, exact, contains },
    }).catch(isNotShown);
    if (isShown) found();
    else if (!isOver) lookIn(pauseMs);
  };
  const lookIn = (pauseMs: number): void => {
    // The last look comes just before the time is over.
    const leftMs = context.remainingMs() - 150;
    if (leftMs <= 0 || context.signal.aborted) return;
    withdraw = context.clock.after(Math.min(pauseMs, leftMs), () => void (context.signal.aborted || look(pauseMs * 2)));
  };
  lookIn(firstLookMs);
  return () => {
    isOver = true;
    withdraw();
  };
}

// It navigates, or is gone: the other wait notices.
const isNotShown = (_: unknown): boolean => false;

/** Runs in the page. */
const showsText = (items: readonly object[], { text = '', exact, contains }: WantedText): boolean => {
  const plain = (given: string): string => given.replace(/\s+/g, ' ').trim();
  const small = (given: string): string => plain(given).toLowerCase();
  return items.some((item) => {
    const { innerText = '' } = item as TextElement;
    // Of an element that is not shown it is all of the text.
    if (!(item as TextElement).checkVisibility({ visibilityProperty: true })) return false;
    const isAll = (): boolean => plain(innerText) === plain(text) || innerText.split('\n').map(plain).includes(plain(text));
    const parts = text === '' || exact ? contains : [text, ...contains];
    return (text === '' || !exact || isAll()) && parts.every((part) => small(innerText).includes(small(part)));
  });
};

type WantedText = { text?: string | undefined; exact: boolean; contains: readonly string[] };
type TextElement = { innerText?: string; checkVisibility(options: object): boolean };
