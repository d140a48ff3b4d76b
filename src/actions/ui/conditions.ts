// What a ui.wait_for waits for: each of its fields is a condition of its own, and all of them must come true.
import type * as z from 'zod';
import { describeTarget, type Target, withoutText } from '../../browser/target.js';
import type { ActionContext } from '../action.js';
import { awaitAbsence } from './awaitAbsence.js';
import { awaitEvent, awaitUrl } from './awaitPage.js';
import { awaitPresence } from './awaitPresence.js';
import { withText } from './target.js';
import type { waitForSchema } from './waitFor.js';

export type Condition = {
  operator: string;
  /** In words, as the journal names it. */
  what: string;
  /** What is said when it does not come true. */
  isNot: string;
  hint?: string;
  target?: Target;
  wait(context: ActionContext): Promise<object | undefined>;
};

export function conditionsOf(fields: z.output<typeof waitForSchema>): Condition[] {
  const { url, event, text_contains = [], expected, visible, initial = false, ...named } = fields;
  const state = visible === undefined ? expected : visible ? 'visible' : 'hidden';
  const { contains = [], ...target } = withText(named);
  const texts = [...contains, ...text_contains];
  return [
    ...(url === undefined ? [] : [page('url', url, (context) => awaitUrl(context, url))]),
    ...(event === undefined ? [] : [page('event', event, (context) => awaitEvent(context, event))]),
    ...(state === 'present' || state === 'visible'
      ? wanted(target, texts).map((each) => presence(each, state))
      : unwanted(target, texts).map((each) => absence(each, state, initial))),
  ];
}

/** A text alone is anywhere on the page; beside a place it is in that place, and all of them are in the same element. */
function wanted(target: Target, texts: readonly string[]): Target[] {
  if (!isPlaced(target)) return unwanted(target, texts);
  return [target, ...texts.map((_, index) => ({ ...target, contains: texts.slice(0, index + 1) }))];
}

/** An element goes with all that it says, so that one look is enough. */
function unwanted(target: Target, texts: readonly string[]): Target[] {
  if (isPlaced(target)) return [texts.length === 0 ? target : { ...target, contains: texts }];
  return [...(target.text === undefined ? [] : [target]), ...texts.map((text) => ({ text }))];
}

function isPlaced(target: Target): boolean {
  return describeTarget(withoutText(target)) !== '';
}

function page(operator: 'url' | 'event', value: string, wait: Condition['wait']): Condition {
  const isNot = operator === 'url' ? 'is not the address' : 'was not heard';
  return { operator, what: `${operator} ${JSON.stringify(value)}`, isNot, wait };
}

function absence(target: Target, state: 'absent' | 'not_present' | 'hidden', isInitial: boolean): Condition {
  return {
    operator: state,
    what: describeTarget(target),
    isNot: `is not ${state}`,
    ...(target.contains ? { hint: ' It must go as a whole; a text that is to leave it is written as "text".' } : {}),
    wait: (context) => awaitAbsence(context, target, { state, isInitial }),
  };
}

function presence(target: Target, state: 'present' | 'visible'): Condition {
  const what = describeTarget(target);
  return { operator: state, what, isNot: `is not ${state}`, target, wait: (context) => awaitPresence(context, target, state) };
}
