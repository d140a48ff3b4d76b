// One element, acted on as a user would: it is there once, and when it is not, the failure says what is there instead.
import type { Locator } from '@playwright/test';
import { runPagesOf } from '../../browser/runPages.js';
import { describeTarget, locate, type Target } from '../../browser/target.js';
import { formatTargetHints } from '../../browser/targetHints.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { pageOf, withPageErrors } from './withPageErrors.js';

/** Does something to the one element that the target names. Of several, hidden ones do not count. */
export async function actOnElement<T>(context: ActionContext, target: Target, act: (element: Locator) => Promise<T>): Promise<T> {
  const page = pageOf(context);
  const found = locate(page, target);
  // By its words, reports are easier to read than by all the ways to find it.
  const what = describeTarget(target);
  const amongVisible = async (thrown: unknown): Promise<T> => {
    try {
      if (!isAmbiguous(thrown)) throw thrown;
      return await withPageErrors(() => act(found.filter({ visible: true }).describe(what)), context);
    } catch (final) {
      throw await explainElementError(toRecipeError(final), context, target);
    }
  };
  let result: T;
  try {
    result = await withPageErrors(() => act(found.describe(what)), context);
  } catch (thrown) {
    // Several are rare, so that nobody looks for them before Playwright complains.
    result = await amongVisible(thrown);
  }
  runPagesOf(page).seenTargets.add(what);
  return result;
}

const ambiguous = /strict mode violation: .* resolved to (\d+) elements:\n((?: +\d+\) .*\n?)*)/;

function isAmbiguous(thrown: unknown): boolean {
  return thrown instanceof RecipeError && ambiguous.test(thrown.message);
}

/** Says what is on the page in place of the one element that was asked for. */
async function explainElementError(error: RecipeError, context: ActionContext, target: Target): Promise<RecipeError> {
  if (error.code !== 'ui.refused') return error;
  const several = ambiguous.exec(error.message);
  const isMissing = /Timeout \d+ms exceeded/.test(error.message) && !error.message.includes('resolved to');
  if (!several && !isMissing) return error;
  // Only what was ambiguous at first is looked for among the visible ones.
  const isHidden = /waiting for .*\bvisible\b/.test(error.message);
  const [what, where] = [describeTarget(target), pageOf(context).url()];
  const nearby = await describePage(context, target, several !== null);
  return several
    ? withSameStack(
        error,
        'ui.ambiguous',
        `${what} is ambiguous: ${several[1]} visible elements on ${where} match.\n${listCandidates(several[2] ?? '')}${nearby}`,
      )
    : withSameStack(
        error,
        'ui.not_found',
        `${what} is ${isHidden ? 'several times, and never visible,' : 'not'} on ${where}.${nearby}\n${error.message}`,
      );
}

// The names that Playwright would use are those that tell the elements apart.
function listCandidates(list: string): string {
  const lines = list.trimEnd().split('\n').slice(0, 10);
  return `${lines.join('\n')}\nName one of them: a "test_id", "role" and "name", "exact": true, or a "selector" for it alone.`;
}

/** What is on the page now, when it still answers. */
export async function describePage(context: ActionContext, target: Target, isThere = false): Promise<string> {
  // A moment more than the node has, as it is worth more than the moment.
  const timeoutMs = Math.min(10_000, context.remainingMs() + 500);
  const late = new Promise<string>((resolve) => context.clock.after(timeoutMs, () => resolve('')));
  const found = formatTargetHints(pageOf(context), target, { call: context.call, timeoutMs, isThere }).catch(() => '');
  return Promise.race([found, late]);
}

/** Another error, thrown from the same place. */
export function withSameStack(error: RecipeError, code: string, message: string, kind = error.kind): RecipeError {
  const better = new RecipeError(code, kind, message, undefined, { cause: error });
  const frames = error.stack?.slice(error.stack.search(/\n {4}at /));
  if (frames?.startsWith('\n')) better.stack = `${better.name}: ${better.message}${frames}`;
  return better;
}
