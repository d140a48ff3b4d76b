// Waits until the page shows a text: not in the source, not in a hidden part, not in the HUD, but for the eye.
import type { Locator } from '@playwright/test';
import { evaluateOnElements } from '../../browser/pageCalls.js';
import type { ActionContext } from '../action.js';

export type TextWait = {
  text?: string | undefined;
  /** The text is all of a line, or of the element. */
  exact: boolean;
  /** Further texts, in the same element. */
  contains?: readonly string[];
  /** Where the text is to stand. */
  around(): Locator;
  /** Finds an element all of whose text is shown, at the price of one call. */
  fast(): Promise<void>;
};

const firstLookMs = 300;

/** An element may show the text and hide another part of itself: only a look at what is shown tells. It costs more, and so comes later. */
export async function awaitText(context: ActionContext, wait: TextWait): Promise<void> {
  let withdraw = (): void => undefined;
  const shown = new Promise<void>((resolve) => {
    withdraw = lookLater(context, wait, resolve);
  });
  try {
    // The first one has the better words for a failure, and is the only one that fails.
    await Promise.race([wait.fast(), shown]);
  } finally {
    withdraw();
  }
}

function lookLater(context: ActionContext, { text, exact, contains = [], around }: TextWait, found: () => void): () => void {
  let isOver = false;
  let withdraw = (): void => undefined;
  const look = async (pauseMs: number): Promise<void> => {
    const isShown = await evaluateOnElements(context.call, around(), { run: shows, argument: { text, exact, contains } }).catch(
      noAnswer,
    );
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
const noAnswer = (_: unknown): boolean => false;

/** Runs in the page. */
const shows = (items: readonly object[], { text = '', exact, contains }: Wanted): boolean => {
  const plain = (given: string): string => given.replace(/\s+/g, ' ').trim();
  const small = (given: string): string => plain(given).toLowerCase();
  return items.some((item) => {
    const { innerText = '' } = item as Item;
    // Of an element that is not shown it is all of the text.
    if (!(item as Item).checkVisibility({ visibilityProperty: true })) return false;
    const isAll = (): boolean => plain(innerText) === plain(text) || innerText.split('\n').map(plain).includes(plain(text));
    const parts = text === '' || exact ? contains : [text, ...contains];
    return (text === '' || !exact || isAll()) && parts.every((part) => small(innerText).includes(small(part)));
  });
};

type Wanted = { text?: string | undefined; exact: boolean; contains: readonly string[] };
type Item = { innerText?: string; checkVisibility(options: object): boolean };
