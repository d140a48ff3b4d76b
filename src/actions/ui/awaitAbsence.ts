// Waits until something is gone. What was never there cannot go away, and on no page at all everything is absent.
import type { Locator } from '@playwright/test';
import { refuseBlankPage } from '../../browser/pageFacts.js';
import { runPagesOf } from '../../browser/runPages.js';
import { describeTarget, getPresenceKey, getSightKeys, locate, type Target } from '../../browser/target.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { awaitLoad } from './awaitLoad.js';
import { refuseError } from './awaitPage.js';
import { awaitPresence } from './awaitPresence.js';
import { drive, pageOf, patienceMs } from './drive.js';
import { outline } from './onElement.js';

export type Absence = {
  state: 'absent' | 'not_present' | 'hidden';
  /** The node says that it never was there. */
  isInitial: boolean;
};

const purpose = 'miss something on';

export async function awaitAbsence(context: ActionContext, target: Target, { state, isInitial }: Absence): Promise<undefined> {
  const page = pageOf(context);
  refuseBlankPage(page.url(), purpose);
  // It was there with its texts; it goes as a whole, and not by saying something else.
  const all = locate(page, { ...target, contains: undefined });
  // A text that is in the page and not shown is gone for the reader.
  const isForTheEye = state === 'hidden' || target.text !== undefined;
  const found = isForTheEye ? all.filter({ visible: true }).first() : all.first();
  const { seenTargets } = runPagesOf(page);
  const wasShown = getSightKeys(target).every((sight) => seenTargets.has(sight));
  const wasThere = wasShown || (!isForTheEye && seenTargets.has(getPresenceKey(target)));
  if (!isInitial && !wasThere) await seeFirst(context, target, state === 'hidden' ? 'visible' : 'present');
  await gone(context, found);
  // While the next page loads, nothing is there yet.
  await drive(() => awaitLoad(context, page, { state: 'domcontentloaded', timeout: patienceMs(context) }), context);
  await gone(context, found);
  await refuseError(context, purpose);
  return undefined;
}

async function gone(context: ActionContext, found: Locator): Promise<void> {
  await drive(() => context.call(found, 'waitFor', { state: 'detached', timeout: patienceMs(context) }), context);
}

async function seeFirst(context: ActionContext, target: Target, state: 'present' | 'visible'): Promise<void> {
  try {
    await awaitPresence(context, target, state);
  } catch (thrown) {
    const error = toRecipeError(thrown);
    if (error.code !== 'ui.refused' || !/Timeout \d+ms exceeded/.test(error.message)) throw error;
    const what = describeTarget(target);
    const around = await outline(context, target);
    const message = `${what} was never seen by this run under these words, so that its absence proves nothing. Wait for it in the same words with "expected": "visible" before it goes, or say "initial": true when it must never have been there.${around}`;
    throw new RecipeError('ui.never_seen', 'assertion', message);
  }
}
