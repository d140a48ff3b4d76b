import * as z from 'zod';
import { describeTarget, type Target, withoutText } from '../../browser/target.js';
import type { Assert } from '../../evidence/journal.js';
import { type RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, type ActionResult, defineAction } from '../action.js';
import { describePage, withSameStack } from './actOnElement.js';
import { awaitAbsence, awaitPresence } from './awaitElement.js';
import { awaitEvent, awaitUrl } from './awaitPage.js';
import { describeMissingTarget, targetFields, withText } from './targetFields.js';
import { pageOf } from './withPageErrors.js';

const text = z.string().min(1);

const waitForSchema = z.strictObject({
  ...targetFields,
  text_contains: z
    .array(text)
    .min(1)
    .optional()
    .describe('Texts that are all shown: in the element that selector, test_id, target or role names, else on the page.'),
  expected: z.enum(['present', 'visible', 'absent', 'not_present', 'hidden']).default('present'),
  visible: z.boolean().optional().describe('true is the same as expected: "visible", false as expected: "hidden".'),
  initial: z.boolean().optional().describe('What is to be hidden or absent never was there in this run, and that is the point.'),
  url: text.optional().describe('A part of the address; with * in it, a pattern for all of it.'),
  event: text
    .optional()
    .describe('load, domcontentloaded, networkidle, or an event that the page sends to window while the node waits.'),
});

export const waitFor = defineAction({
  name: 'ui.wait_for',
  description:
    'Asserts that an element, a text, an address or an event appears before the deadline, or that something goes away.',
  schema: waitForSchema,
  examples: [
    { description: 'The confirmation is shown.', node: { action: 'ui.wait_for', test_id: 'order-number', expected: 'visible' } },
    { description: 'The spinner goes away.', node: { action: 'ui.wait_for', test_id: 'spinner', expected: 'hidden' } },
    {
      description: 'The order is open.',
      node: { action: 'ui.wait_for', url: '**/orders/*', text_contains: ['Kettle', '€62.00'] },
    },
  ],
  effect: 'reads',
  asserts: true,
  fallible: () => true,
  needs: ['page'],
  timeoutMs: 5_000,
  describeMissing: (node) => {
    const { expected, visible } = node.fields;
    const isGone = visible === false || ['absent', 'not_present', 'hidden'].includes(String(expected));
    const things = ['text', 'label', 'text_contains'];
    return describeMissingTarget(node, isGone ? things : [...things, 'url', 'event']);
  },
  async run(fields, context) {
    const asserts: Assert[] = [];
    const extra: Record<string, unknown> = {};
    for (const condition of conditionsOf(fields)) {
      const failure = await failureOf(condition, context, extra);
      asserts.push({
        operator: condition.operator,
        path: condition.description,
        expected: true,
        actual: !failure,
        held: !failure,
      });
      if (failure) return resultWithUrl(context, { matched: false }, { asserts, failure });
    }
    return resultWithUrl(context, { matched: true, ...extra }, { asserts });
  },
});

function resultWithUrl(context: ActionContext, output: object, result: ActionResult): ActionResult {
  return { output: { ...output, url: pageOf(context).url() }, ...result };
}

/** What the page showed instead; a fault of something else than the page is thrown. */
async function failureOf(condition: Condition, context: ActionContext, output: object): Promise<RecipeError | undefined> {
  try {
    Object.assign(output, await condition.wait(context));
    return undefined;
  } catch (thrown) {
    const error = toRecipeError(thrown);
    if (error.kind !== 'action' || error.code === 'ui.no_target') throw error;
    if (error.code !== 'ui.refused') return withSameStack(error, error.code, error.message, 'assertion');
    const { description, unmet, hint = '', target } = condition;
    const nearby = target ? await describePage(context, target) : '';
    const message = `${description} ${unmet} on ${pageOf(context).url()}.${hint}${nearby}\n${error.message}`;
    return withSameStack(error, 'ui.not_seen', message, 'assertion');
  }
}

// What a ui.wait_for waits for: each of its fields is a condition of its own, and all of them must come true.

export type Condition = {
  operator: string;
  /** In words, as the journal names it. */
  description: string;
  /** What is said when it does not come true. */
  unmet: string;
  hint?: string;
  target?: Target;
  wait(context: ActionContext): Promise<object | undefined>;
};

function conditionsOf(fields: z.output<typeof waitForSchema>): Condition[] {
  const { url, event, text_contains = [], expected, visible, initial = false, ...named } = fields;
  const state = visible === undefined ? expected : visible ? 'visible' : 'hidden';
  const { contains = [], ...target } = withText(named);
  const texts = [...contains, ...text_contains];
  return [
    ...(url === undefined ? [] : [page('url', url, (context) => awaitUrl(context, url))]),
    ...(event === undefined ? [] : [page('event', event, (context) => awaitEvent(context, event))]),
    ...(state === 'present' || state === 'visible'
      ? presenceTargets(target, texts).map((each) => presence(each, state))
      : absenceTargets(target, texts).map((each) => absence(each, state, initial))),
  ];
}

/** A text alone is anywhere on the page; beside a place it is in that place, and all of them are in the same element. */
function presenceTargets(target: Target, texts: readonly string[]): Target[] {
  if (!isPlaced(target)) return absenceTargets(target, texts);
  return [target, ...texts.map((_, index) => ({ ...target, contains: texts.slice(0, index + 1) }))];
}

/** An element goes with all that it says, so that one look is enough. */
function absenceTargets(target: Target, texts: readonly string[]): Target[] {
  if (isPlaced(target)) return [texts.length === 0 ? target : { ...target, contains: texts }];
  return [...(target.text === undefined ? [] : [target]), ...texts.map((text) => ({ text }))];
}

function isPlaced(target: Target): boolean {
  return describeTarget(withoutText(target)) !== '';
}

function page(operator: 'url' | 'event', value: string, wait: Condition['wait']): Condition {
  const unmet = operator === 'url' ? 'is not the address' : 'was not heard';
  return { operator, description: `${operator} ${JSON.stringify(value)}`, unmet, wait };
}

function absence(target: Target, state: 'absent' | 'not_present' | 'hidden', isInitial: boolean): Condition {
  return {
    operator: state,
    description: describeTarget(target),
    unmet: `is not ${state}`,
    ...(target.contains ? { hint: ' It must go as a whole; a text that is to leave it is written as "text".' } : {}),
    wait: (context) => awaitAbsence(context, target, { state, isInitial }),
  };
}

function presence(target: Target, state: 'present' | 'visible'): Condition {
  const description = describeTarget(target);
  return {
    operator: state,
    description,
    unmet: `is not ${state}`,
    target,
    wait: (context) => awaitPresence(context, target, state),
  };
}
