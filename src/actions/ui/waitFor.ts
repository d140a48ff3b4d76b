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
    .describe('Texts that must all be visible: in the element that the target fields select, or else on the page.'),
  expected: z.enum(['present', 'visible', 'absent', 'not_present', 'hidden']).default('present'),
  visible: z.boolean().optional().describe('true is the same as expected: "visible". false is the same as expected: "hidden".'),
  initial: z
    .boolean()
    .optional()
    .describe('The target has never been on the page in this run. Only with an "expected" that means its absence.'),
  url: text.optional().describe('A part of the URL, or a pattern for the whole URL if it contains *.'),
  event: text.optional().describe('load, domcontentloaded, networkidle, or an event that window receives while the node waits.'),
});

export const waitFor = defineAction({
  name: 'ui.wait_for',
  description:
    'Asserts that an element or text appears or disappears, that the URL matches, or that an event occurs, before the timeout.',
  schema: waitForSchema,
  examples: [
    {
      description: 'The confirmation is visible.',
      node: { action: 'ui.wait_for', test_id: 'order-number', expected: 'visible' },
    },
    { description: 'The spinner disappears.', node: { action: 'ui.wait_for', test_id: 'spinner', expected: 'hidden' } },
    {
      description: 'The page of the order shows the item and the total.',
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
    const isAbsence = visible === false || ['absent', 'not_present', 'hidden'].includes(String(expected));
    const textFields = ['text', 'label', 'text_contains'];
    return describeMissingTarget(node, isAbsence ? textFields : [...textFields, 'url', 'event']);
  },
  async run(fields, context) {
    const asserts: Assert[] = [];
    const output: Record<string, unknown> = {};
    for (const condition of conditionsOf(fields)) {
      const failure = await awaitCondition(condition, context, output);
      asserts.push({
        operator: condition.operator,
        path: condition.description,
        expected: true,
        actual: !failure,
        held: !failure,
      });
      if (failure) return resultWithUrl(context, { matched: false }, { asserts, failure });
    }
    return resultWithUrl(context, { matched: true, ...output }, { asserts });
  },
});

function resultWithUrl(context: ActionContext, output: object, result: ActionResult): ActionResult {
  return { output: { ...output, url: pageOf(context).url() }, ...result };
}

/** Returns the failure when the page does not meet the condition. Throws errors that the page did not cause. */
async function awaitCondition(condition: Condition, context: ActionContext, output: object): Promise<RecipeError | undefined> {
  try {
    Object.assign(output, await condition.wait(context));
    return undefined;
  } catch (thrown) {
    const error = toRecipeError(thrown);
    if (error.kind !== 'action' || error.code === 'ui.no_target') throw error;
    if (error.code !== 'ui.refused') return withSameStack(error, error.code, error.message, 'assertion');
    const { description, unmet, hint = '', target } = condition;
    const hints = target ? await describePage(context, target) : '';
    const message = `${description} ${unmet} on ${pageOf(context).url()}.${hint}${hints}\n${error.message}`;
    return withSameStack(error, 'ui.not_seen', message, 'assertion');
  }
}

// The fields of ui.wait_for are separate conditions. All of them must become true.

export type Condition = {
  operator: string;
  /** For the journal and for messages. */
  description: string;
  /** The predicate of the failure message, such as "is not visible". */
  unmet: string;
  hint?: string;
  target?: Target;
  wait(context: ActionContext): Promise<object | undefined>;
};

function conditionsOf(fields: z.output<typeof waitForSchema>): Condition[] {
  const { url, event, text_contains = [], expected, visible, initial = false, ...targetFields } = fields;
  const state = visible === undefined ? expected : visible ? 'visible' : 'hidden';
  const { contains = [], ...target } = withText(targetFields);
  const texts = [...contains, ...text_contains];
  return [
    ...(url === undefined ? [] : [pageCondition('url', url, (context) => awaitUrl(context, url))]),
    ...(event === undefined ? [] : [pageCondition('event', event, (context) => awaitEvent(context, event))]),
    ...(state === 'present' || state === 'visible'
      ? presenceTargets(target, texts).map((each) => presenceCondition(each, state))
      : absenceTargets(target, texts).map((each) => absenceCondition(each, state, initial))),
  ];
}

/** With a place, the same element must contain all texts. Without a place, each text may be anywhere on the page. */
function presenceTargets(target: Target, texts: readonly string[]): Target[] {
  if (!hasPlace(target)) return absenceTargets(target, texts);
  return [target, ...texts.map((_, index) => ({ ...target, contains: texts.slice(0, index + 1) }))];
}

/** With a place, one target is enough: an element disappears together with its texts. */
function absenceTargets(target: Target, texts: readonly string[]): Target[] {
  if (hasPlace(target)) return [texts.length === 0 ? target : { ...target, contains: texts }];
  return [...(target.text === undefined ? [] : [target]), ...texts.map((text) => ({ text }))];
}

function hasPlace(target: Target): boolean {
  return describeTarget(withoutText(target)) !== '';
}

function pageCondition(operator: 'url' | 'event', value: string, wait: Condition['wait']): Condition {
  const unmet = operator === 'url' ? 'was not reached' : 'did not occur';
  return { operator, description: `${operator} ${JSON.stringify(value)}`, unmet, wait };
}

function absenceCondition(target: Target, state: 'absent' | 'not_present' | 'hidden', isInitial: boolean): Condition {
  return {
    operator: state,
    description: describeTarget(target),
    unmet: `is not ${state}`,
    ...(target.contains
      ? { hint: ' The whole element must disappear. To wait until it no longer shows a text, use "text".' }
      : {}),
    wait: (context) => awaitAbsence(context, target, { state, isInitial }),
  };
}

function presenceCondition(target: Target, state: 'present' | 'visible'): Condition {
  const description = describeTarget(target);
  return {
    operator: state,
    description,
    unmet: `is not ${state}`,
    target,
    wait: (context) => awaitPresence(context, target, state),
  };
}
