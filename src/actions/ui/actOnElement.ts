// Acts on one element of the page. If the element is missing or ambiguous, the error describes what the page shows.
import type { Locator } from '@playwright/test';
import { runPagesOf } from '../../browser/runPages.js';
import { describeTarget, locate, type Target } from '../../browser/target.js';
import { formatTargetHints } from '../../browser/targetHints.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { pageOf, withPageErrors } from './withPageErrors.js';

/** Runs `act` on the one element that matches the target. If several elements match, hidden ones are ignored. */
export async function actOnElement<T>(context: ActionContext, target: Target, act: (element: Locator) => Promise<T>): Promise<T> {
  const page = pageOf(context);
  const locator = locate(page, target);
  // Playwright's reports show this description instead of the selector.
  const description = describeTarget(target);
  const actOnVisible = async (thrown: unknown): Promise<T> => {
    try {
      if (!isAmbiguous(thrown)) throw thrown;
      return await withPageErrors(() => act(locator.filter({ visible: true }).describe(description)), context);
    } catch (finalError) {
      throw await explainElementError(toRecipeError(finalError), context, target);
    }
  };
  let result: T;
  try {
    result = await withPageErrors(() => act(locator.describe(description)), context);
  } catch (thrown) {
    // Several matches are rare, so hidden ones are excluded only after Playwright has reported them.
    result = await actOnVisible(thrown);
  }
  runPagesOf(page).seenTargets.add(description);
  return result;
}

const ambiguousMessage = /strict mode violation: .* resolved to (\d+) elements:\n((?: +\d+\) .*\n?)*)/;

function isAmbiguous(thrown: unknown): boolean {
  return thrown instanceof RecipeError && ambiguousMessage.test(thrown.message);
}

/** Turns a strict mode violation or a timeout into an error that describes what is on the page. */
async function explainElementError(error: RecipeError, context: ActionContext, target: Target): Promise<RecipeError> {
  if (error.code !== 'ui.refused') return error;
  const ambiguous = ambiguousMessage.exec(error.message);
  const isMissing = /Timeout \d+ms exceeded/.test(error.message) && !error.message.includes('resolved to');
  if (!ambiguous && !isMissing) return error;
  // Only `actOnVisible` waits for visible elements, so several hidden elements match.
  const isHidden = /waiting for .*\bvisible\b/.test(error.message);
  const [description, url] = [describeTarget(target), pageOf(context).url()];
  const hints = await describePage(context, target, ambiguous !== null);
  if (ambiguous) {
    const candidates = listCandidates(ambiguous[2] ?? '');
    const message = `${description} is ambiguous: ${ambiguous[1]} visible elements on ${url} match.\n${candidates}${hints}`;
    return withSameStack(error, 'ui.ambiguous', message);
  }
  const problem = isHidden ? 'matches several elements, but none is visible on' : 'is not on';
  return withSameStack(error, 'ui.not_found', `${description} ${problem} ${url}.${hints}\n${error.message}`);
}

// Playwright's list contains a unique locator for each element.
function listCandidates(list: string): string {
  const lines = list.trimEnd().split('\n').slice(0, 10);
  return `${lines.join('\n')}\nSelect one of them: use "test_id", "role" with "name", "exact": true, or a "selector" that matches only one.`;
}

/** Describes what is on the page now. Empty when the page does not answer in time. */
export async function describePage(context: ActionContext, target: Target, isAmbiguousTarget = false): Promise<string> {
  // May exceed the timeout of the node by 500 ms, because the hints are worth the delay.
  const timeoutMs = Math.min(10_000, context.remainingMs() + 500);
  const noHints = new Promise<string>((resolve) => context.clock.after(timeoutMs, () => resolve('')));
  const hints = formatTargetHints(pageOf(context), target, {
    call: context.call,
    timeoutMs,
    isAmbiguous: isAmbiguousTarget,
  }).catch(() => '');
  return Promise.race([hints, noHints]);
}

/** Creates an error with another code and message, and with the stack of `error`. */
export function withSameStack(error: RecipeError, code: string, message: string, kind = error.kind): RecipeError {
  const newError = new RecipeError(code, kind, message, undefined, { cause: error });
  const frames = error.stack?.slice(error.stack.search(/\n {4}at /));
  if (frames?.startsWith('\n')) newError.stack = `${newError.name}: ${newError.message}${frames}`;
  return newError;
}
