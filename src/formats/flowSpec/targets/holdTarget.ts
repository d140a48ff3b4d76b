// Watches one element while it is acted on: what was meant for it happens to it, as long as it is what it was taken for. Runs inside of the page.

import type { Page } from '@playwright/test';
import { type Call, evaluateHandleOnElement, type PageHandle } from '../../../browser/pageCalls.js';
import { type Candidate, collectCandidates } from './candidates.js';
import { selectorOf } from './resolveTarget.js';

type WatchOptions = {
  /** What it was when it was chosen. */
  was: Candidate;
  attribute: string;
  mark: string;
  /** What is typed may go on nowhere else. */
  isFill: boolean;
  collect(items: readonly object[]): Candidate[];
  /** The watch over the element that it takes the place of, which ends as this one begins. */
  after?: ElementWatch | undefined;
};

/** `isTouched`: the gesture has begun on it. `isRefused`: it was kept from something that is not what was meant. */
type ElementWatch = {
  isTouched: boolean;
  isRefused: boolean;
  /** Whether the first event was refused: told at once, as the page may be gone when it is asked. */
  firstRefused: Promise<boolean>;
  isThere(): boolean;
  end(keepsMark: boolean): void;
};

/** It is long because it stands by itself: only its own text goes into the page. It throws when it is something else by now. */
const watchElement = (element: object, { was, attribute, mark, isFill, collect, after }: WatchOptions): ElementWatch => {
  type Listens = (type: string, listener: (event: Happening) => void, options: object) => void;
  type Happening = {
    type: string;
    isTrusted: boolean;
    composedPath(): unknown[];
    stopImmediatePropagation(): void;
    preventDefault(): void;
  };
  type Item = {
    isConnected: boolean;
    labels?: Iterable<unknown> | null;
    ownerDocument: { activeElement: unknown; body: unknown; defaultView: Record<`${'add' | 'remove'}EventListener`, Listens> };
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
  };
  const item = element as Item;
  const { ownerDocument: page } = item;
  const pointers = ['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick'];
  const keys = ['keydown', 'keypress', 'keyup', 'beforeinput'];
  const labelOf = ({ name, placeholder, testId, id }: Candidate): string => name || placeholder || testId || id.trim();
  // A field may lose its placeholder when it gets the focus: what says nothing any more says nothing else.
  const isSame = (mayBeSilent: boolean): boolean => {
    const [now] = collect([item]);
    return now !== undefined && now.role === was.role && (labelOf(now) === labelOf(was) || (mayBeSilent && labelOf(now) === ''));
  };
  const goesElsewhere = (event: Happening): boolean => {
    const path = event.composedPath();
    const isKey = keys.includes(event.type);
    // A key that nothing has the focus for is everybody's; whoever presses a label presses its field.
    if (isKey && !isFill && page.activeElement === page.body) return false;
    return ![item, ...(isKey ? [] : (item.labels ?? []))].some((each) => path.includes(each));
  };
  let settleFirst = (_isRefused: boolean): void => undefined;
  const firstRefused = new Promise<boolean>((resolve) => {
    settleFirst = resolve;
  });
  const watched: ElementWatch = {
    ...{ isTouched: false, isRefused: false, firstRefused },
    isThere: () => item.isConnected,
    end(keepsMark) {
      for (const type of [...pointers, ...keys]) page.defaultView?.removeEventListener(type, onEvent, { capture: true });
      settleFirst(watched.isRefused);
      if (!keepsMark) writeMarks(readMarks().filter((each) => each !== mark));
    },
  };
  const onEvent = (event: Happening): void => {
    if (!event.isTrusted) return;
    // The first event decides: what comes after it may be what it led to.
    if (!watched.isTouched && !isSame(true)) watched.isRefused = true;
    if ((!watched.isTouched || isFill) && goesElsewhere(event)) watched.isRefused = true;
    settleFirst(watched.isRefused);
    if (!watched.isRefused) {
      watched.isTouched = true;
      return;
    }
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const readMarks = (): string[] => (item.getAttribute(attribute) ?? '').split(' ').filter((each) => each !== '');
  const writeMarks = (all: readonly string[]): void =>
    all.length === 0 ? item.removeAttribute(attribute) : item.setAttribute(attribute, all.join(' '));
  if (!item.isConnected || !isSame(false)) throw new Error('It is not what it was taken for.');
  after?.end(false);
  writeMarks([...readMarks(), mark]);
  for (const type of [...pointers, ...keys]) page.defaultView?.addEventListener(type, onEvent, { capture: true });
  return watched;
};

// An element that was chosen, held fast: a page may put another one in its place, or make something else of it, before it is acted on.

/** `mark`: what tells it from every other element of the page. `after`: what it takes the place of. */
type HoldOptions = { candidate: Candidate; mark: string; isFill: boolean; call: Call; after?: HeldTarget | undefined };

export type HeldTarget = {
  /** For Playwright: the element itself, wherever it is by now. */
  selector: string;
  watched: PageHandle<ElementWatch>;
  /** Whether it was taken out of its page before anything was done to it. */
  isLost(): Promise<boolean>;
  /** Whether the first thing that happened to it was refused; undefined when nothing did before its page was gone. */
  firstRefused(): boolean | undefined;
  /**
   * Lets go of it. Whether something that is not what was meant was kept from being acted on; undefined when its page is gone.
   * A mark that is kept finds it later.
   */
  end(options: { keepsMark: boolean }): Promise<boolean | undefined>;
};

const attribute = 'data-recipewright';
const holdTimeoutMs = 1_000;

/** Undefined when it is not there any more, or not what it was. */
export async function holdTarget(
  page: Page,
  { candidate, mark, isFill, call, after }: HoldOptions,
): Promise<HeldTarget | undefined> {
  const argument = { was: candidate, attribute, mark, isFill, after: after?.watched.reference };
  const work = { run: startWatching, argument, timeoutMs: holdTimeoutMs };
  // What is not there is not held, and a page that goes somewhere else has nothing to hold on to, and says nothing any more.
  const watched = await evaluateHandleOnElement(call, page.locator(selectorOf(candidate)), work).catch(() => undefined);
  if (!watched) return undefined;
  let refused: boolean | undefined;
  // A page that goes somewhere else before anything happened to it has nothing to tell.
  void watched.evaluate(firstRefused).then(
    (wasRefused) => {
      refused = wasRefused;
    },
    () => undefined,
  );
  return {
    watched,
    selector: `[${attribute}~="${mark}"]`,
    isLost: () => watched.evaluate(isLost).catch(() => false),
    firstRefused: () => refused,
    end: ({ keepsMark }) => watched.evaluate(keepsMark ? endWatch : endWatchAndUnmark).catch(() => undefined),
  };
}

// Two functions go into the page as one text, so that nothing comes between the look at the element and the watch over it.
const startWatching = new Function(
  ...['element', 'given'],
  `return (${watchElement})(element, { ...given, collect: ${collectCandidates} })`,
) as (element: object, given: Omit<WatchOptions, 'collect'>) => ElementWatch;

/** They run in the page. */
const isLost = (watched: ElementWatch): boolean => !watched.isTouched && !watched.isThere();
const firstRefused = (watched: ElementWatch): Promise<boolean> => watched.firstRefused;
const endWatch = (watched: ElementWatch): boolean => {
  watched.end(true);
  return watched.isRefused;
};
const endWatchAndUnmark = (watched: ElementWatch): boolean => {
  watched.end(false);
  return watched.isRefused;
};
