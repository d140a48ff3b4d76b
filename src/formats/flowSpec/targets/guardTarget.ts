// Guards a chosen element during a gesture: a watch in the page marks the element, and refuses an event when the page has changed
// the element into something else, or when the event goes to another element.

import type { Page } from '@playwright/test';
import { type Call, evaluateHandleOnElement, type PageHandle } from '../../../browser/pageCalls.js';
import { type Candidate, collectCandidates, selectorOf } from './candidates.js';

type WatchOptions = {
  /** The properties of the element when it was chosen. */
  expected: Candidate;
  attribute: string;
  mark: string;
  /** For a fill, all events must go to the element, not only the first one. */
  isFill: boolean;
  collect(items: readonly object[]): Candidate[];
  /** The watch of the element that this element replaces. It ends when this watch begins. */
  previous?: ElementWatch | undefined;
};

/** `isTouched`: the gesture has begun on the element. `isRefused`: an event was refused. */
type ElementWatch = {
  isTouched: boolean;
  isRefused: boolean;
  /** Resolves on the first event, with whether the event was refused. A later question could reach a page that is gone. */
  firstRefused: Promise<boolean>;
  isConnected(): boolean;
  end(keepsMark: boolean): void;
};

/**
 * Runs in the page. One long function, because only its own source code is sent to the page.
 * @throws when the page has changed the element into something else
 */
const watchElement = (element: object, { expected, attribute, mark, isFill, collect, previous }: WatchOptions): ElementWatch => {
  type ChangeListener = (type: string, listener: (event: PageEvent) => void, options: object) => void;
  type PageEvent = {
    type: string;
    isTrusted: boolean;
    composedPath(): unknown[];
    stopImmediatePropagation(): void;
    preventDefault(): void;
  };
  type Item = {
    isConnected: boolean;
    labels?: Iterable<unknown> | null;
    ownerDocument: {
      activeElement: unknown;
      body: unknown;
      defaultView: Record<`${'add' | 'remove'}EventListener`, ChangeListener>;
    };
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
  };
  const item = element as Item;
  const { ownerDocument: page } = item;
  const pointers = ['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick'];
  const keys = ['keydown', 'keypress', 'keyup', 'beforeinput'];
  const labelOf = ({ name, placeholder, testId, id }: Candidate): string => name || placeholder || testId || id.trim();
  // `allowNoLabel` accepts a missing label, because a field can lose its placeholder on focus.
  const isExpected = (allowNoLabel: boolean): boolean => {
    const [current] = collect([item]);
    if (current === undefined || current.role !== expected.role) return false;
    return labelOf(current) === labelOf(expected) || (allowNoLabel && labelOf(current) === '');
  };
  const goesElsewhere = (event: PageEvent): boolean => {
    const path = event.composedPath();
    const isKey = keys.includes(event.type);
    // Without a focused element, a key goes to the whole page. A click on a label counts as a click on its field.
    if (isKey && !isFill && page.activeElement === page.body) return false;
    return ![item, ...(isKey ? [] : (item.labels ?? []))].some((target) => path.includes(target));
  };
  let resolveFirst = (_isRefused: boolean): void => undefined;
  const firstRefused = new Promise<boolean>((resolve) => {
    resolveFirst = resolve;
  });
  const watch: ElementWatch = {
    isTouched: false,
    isRefused: false,
    firstRefused,
    isConnected: () => item.isConnected,
    end(keepsMark) {
      for (const type of [...pointers, ...keys]) page.defaultView?.removeEventListener(type, onEvent, { capture: true });
      resolveFirst(watch.isRefused);
      if (!keepsMark) writeMarks(readMarks().filter((other) => other !== mark));
    },
  };
  const onEvent = (event: PageEvent): void => {
    if (!event.isTrusted) return;
    // Checks the element only before the first event, which may itself change the element.
    if (!watch.isTouched && !isExpected(true)) watch.isRefused = true;
    if ((!watch.isTouched || isFill) && goesElsewhere(event)) watch.isRefused = true;
    resolveFirst(watch.isRefused);
    if (!watch.isRefused) {
      watch.isTouched = true;
      return;
    }
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const readMarks = (): string[] => (item.getAttribute(attribute) ?? '').split(' ').filter((other) => other !== '');
  const writeMarks = (marks: readonly string[]): void =>
    marks.length === 0 ? item.removeAttribute(attribute) : item.setAttribute(attribute, marks.join(' '));
  if (!item.isConnected || !isExpected(false)) throw new Error('The element has changed.');
  previous?.end(false);
  writeMarks([...readMarks(), mark]);
  for (const type of [...pointers, ...keys]) page.defaultView?.addEventListener(type, onEvent, { capture: true });
  return watch;
};

/** `mark` is unique in the page. `previous` is the guarded element that this element replaces. */
type GuardOptions = { candidate: Candidate; mark: string; isFill: boolean; call: Call; previous?: GuardedTarget | undefined };

export type GuardedTarget = {
  /** Finds the element by its mark, even if it has moved. */
  selector: string;
  watch: PageHandle<ElementWatch>;
  /** Whether the element was removed from the page before an event reached it. */
  isLost(): Promise<boolean>;
  /** Whether the first event was refused. Undefined when there was none, or the page is gone. */
  firstRefused(): boolean | undefined;
  /**
   * Ends the watch and returns whether an event was refused, or undefined when the page is gone. With `keepsMark`, `selector`
   * stays valid.
   */
  end(options: { keepsMark: boolean }): Promise<boolean | undefined>;
};

const attribute = 'data-recipewright';
const guardTimeoutMs = 1_000;

/** Returns undefined when the element no longer exists or has changed. */
export async function guardTarget(
  page: Page,
  { candidate, mark, isFill, call, previous }: GuardOptions,
): Promise<GuardedTarget | undefined> {
  const argument = { expected: candidate, attribute, mark, isFill, previous: previous?.watch.reference };
  const work = { run: startWatch, argument, timeoutMs: guardTimeoutMs };
  // Fails when the element is missing or has changed, or when the page navigates.
  const watch = await evaluateHandleOnElement(call, page.locator(selectorOf(candidate)), work).catch(() => undefined);
  if (!watch) return undefined;
  let refused: boolean | undefined;
  void watch.evaluate(firstRefused).then(
    (wasRefused) => {
      refused = wasRefused;
    },
    // The page navigated before the first event.
    () => undefined,
  );
  return {
    watch,
    selector: `[${attribute}~="${mark}"]`,
    isLost: () => watch.evaluate(isLost).catch(() => false),
    firstRefused: () => refused,
    end: ({ keepsMark }) => watch.evaluate(keepsMark ? endWatch : endWatchAndUnmark).catch(() => undefined),
  };
}

// Sends both functions as one, so that the page cannot change the element between the check and the watch.
const startWatch = new Function(
  'element',
  'options',
  `return (${watchElement})(element, { ...options, collect: ${collectCandidates} })`,
) as (element: object, options: Omit<WatchOptions, 'collect'>) => ElementWatch;

// The next functions run in the page.
const isLost = (watch: ElementWatch): boolean => !watch.isTouched && !watch.isConnected();
const firstRefused = (watch: ElementWatch): Promise<boolean> => watch.firstRefused;
const endWatch = (watch: ElementWatch): boolean => {
  watch.end(true);
  return watch.isRefused;
};
const endWatchAndUnmark = (watch: ElementWatch): boolean => {
  watch.end(false);
  return watch.isRefused;
};
