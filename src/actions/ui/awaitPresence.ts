// Waits until something is there, or is shown, and remembers that it was.
import type { Locator } from '@playwright/test';
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
import type { ActionContext } from '../action.js';
import { awaitText } from './awaitText.js';
import { drive, pageOf, patienceMs } from './drive.js';

/** A text counts when it is shown, also where being present is enough for an element. */
export async function awaitPresence(context: ActionContext, target: Target, state: 'present' | 'visible'): Promise<undefined> {
  const page = pageOf(context);
  const found = locate(page, target);
  const { text, exact = false, contains = [] } = target;
  const isText = text !== undefined || contains.length > 0;
  const wait = (element: Locator, until: 'visible' | 'attached') =>
    context.call(element.describe(describeTarget(target)), 'waitFor', { state: until, timeout: patienceMs(context) });
  if (isText) {
    const around = (): Locator => locatePlace(page, target) ?? page.locator('body');
    const fast = () => wait(locateShown(page, found), 'visible');
    await drive(() => awaitText(context, { text, exact, contains, around, fast }), context);
  } else if (state === 'visible') await drive(() => wait(found.filter({ visible: true }).first(), 'visible'), context);
  else await drive(() => wait(found.first(), 'attached'), context);
  const sights = isText || state === 'visible' ? getSightKeys(target) : [getPresenceKey(target)];
  for (const sight of sights) runPagesOf(page).seenTargets.add(sight);
}
