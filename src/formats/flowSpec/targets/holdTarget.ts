// An element that was chosen, held fast: a page may put another one in its place, or make something else of it, before it is acted on.
import type { Page } from '@playwright/test';
import type { Call } from '../../../browser/call.js';
import { type Kept, keepFromElement } from '../../../browser/inPage.js';
import { type Watched, type Watching, watchElement } from './holdTargetPage.js';
import { selectorOf } from './resolveTarget.js';
import { type Candidate, collectCandidates } from './resolveTargetPage.js';

/** `mark`: what tells it from every other element of the page. `after`: what it takes the place of. */
export type Holding = { candidate: Candidate; mark: string; isFill: boolean; call: Call; after?: HeldTarget | undefined };

export type HeldTarget = {
  /** For Playwright: the element itself, wherever it is by now. */
  selector: string;
  watched: Kept<Watched>;
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
const patienceMs = 1_000;

/** Undefined when it is not there any more, or not what it was. */
export async function holdTarget(page: Page, { candidate, mark, isFill, call, after }: Holding): Promise<HeldTarget | undefined> {
  const given = { was: candidate, attribute, mark, isFill, after: after?.watched.inPage };
  const work = { run: lookAndWatch, given, timeoutMs: patienceMs };
  // What is not there is not held, and a page that goes somewhere else has nothing to hold on to, and says nothing any more.
  const watched = await keepFromElement(call, page.locator(selectorOf(candidate)), work).catch(() => undefined);
  if (!watched) return undefined;
  let refused: boolean | undefined;
  // A page that goes somewhere else before anything happened to it has nothing to tell.
  void watched.ask(firstRefused).then(
    (said) => {
      refused = said;
    },
    () => undefined,
  );
  return {
    watched,
    selector: `[${attribute}~="${mark}"]`,
    isLost: () => watched.ask(isLost).catch(() => false),
    firstRefused: () => refused,
    end: ({ keepsMark }) => watched.ask(keepsMark ? letGo : letGoUnmarked).catch(() => undefined),
  };
}

// Two functions go into the page as one text, so that nothing comes between the look at the element and the watch over it.
const lookAndWatch = new Function(
  ...['element', 'given'],
  `return (${watchElement})(element, { ...given, collect: ${collectCandidates} })`,
) as (element: object, given: Omit<Watching, 'collect'>) => Watched;

/** They run in the page. */
const isLost = (watched: Watched): boolean => !watched.isTouched && !watched.isThere();
const firstRefused = (watched: Watched): Promise<boolean> => watched.firstRefused;
const letGo = (watched: Watched): boolean => {
  watched.end(true);
  return watched.isRefused;
};
const letGoUnmarked = (watched: Watched): boolean => {
  watched.end(false);
  return watched.isRefused;
};
