// What a ui.wait_for waits for: each of its fields is a condition of its own, and all of them must come true.
import type { Locator } from '@playwright/test';
import type * as z from 'zod';
import { stageOf } from '../../browser/stage.js';
import { describeTarget, locate, placeOf, presentOnly, shown, type Target } from '../../browser/target.js';
import type { ActionContext } from '../action.js';
import { awaitAbsence } from './awaitAbsence.js';
import { awaitEvent, awaitUrl } from './awaitPage.js';
import { awaitText } from './awaitText.js';
import { drive, pageOf, patienceMs } from './drive.js';
import { withText } from './target.js';
import type { waitForSchema } from './waitFor.js';

export type Condition = {
  operator: string;
  /** In words, as the journal names it. */
  what: string;
  /** What is said when it does not come true. */
  isNot: string;
  target?: Target;
  wait(context: ActionContext): Promise<object | undefined>;
};

export function conditionsOf(fields: z.output<typeof waitForSchema>): Condition[] {
  const { url, event, text_contains: texts = [], expected, visible, initial = false, ...named } = fields;
  const state = visible === undefined ? expected : visible ? 'visible' : 'hidden';
  const target = withText(named);
  const what = describeTarget(target);
  const isGone = state === 'absent' || state === 'not_present' || state === 'hidden';
  return [
    ...(url === undefined ? [] : [page('url', url, (context) => awaitUrl(context, url))]),
    ...(event === undefined ? [] : [page('event', event, (context) => awaitEvent(context, event))]),
    ...(what === '' ? [] : [isGone ? absence(target, state, initial) : presence(target, state)]),
    ...texts.map((text) => (isGone ? absence({ text }, state, initial) : presence({ text }, state))),
  ];
}

function page(operator: 'url' | 'event', value: string, wait: Condition['wait']): Condition {
  const isNot = operator === 'url' ? 'is not the address' : 'was not heard';
  return { operator, what: `${operator} ${JSON.stringify(value)}`, isNot, wait };
}

function absence(target: Target, state: 'absent' | 'not_present' | 'hidden', isInitial: boolean): Condition {
  const what = describeTarget(target);
  return {
    operator: state,
    what,
    isNot: `is not ${state}`,
    wait: (context) => awaitAbsence(context, target, { state, isInitial }),
  };
}

function presence(target: Target, state: 'present' | 'visible'): Condition {
  const what = describeTarget(target);
  const wait = (context: ActionContext): Promise<undefined> => awaitPresence(context, target, { what, state });
  return { operator: state, what, isNot: `is not ${state}`, target, wait };
}

type Presence = { what: string; state: 'present' | 'visible' };

async function awaitPresence(context: ActionContext, target: Target, { what, state }: Presence): Promise<undefined> {
  const page = pageOf(context);
  const found = locate(page, target);
  const { text, exact = false } = target;
  const wait = (element: Locator, until: 'visible' | 'attached') =>
    context.call(element.describe(what), 'waitFor', { state: until, timeout: patienceMs(context) });
  if (text !== undefined) {
    const around = (): Locator => placeOf(page, target) ?? page.locator('body');
    await drive(() => awaitText(context, { text, exact, around, fast: () => wait(shown(page, found), 'visible') }), context);
  } else if (state === 'visible') await drive(() => wait(found.filter({ visible: true }).first(), 'visible'), context);
  else await drive(() => wait(found.first(), 'attached'), context);
  const isShown = text !== undefined || state === 'visible';
  stageOf(page).seen.add(isShown ? what : presentOnly(target));
}
