import * as z from 'zod';
import type { Assert } from '../../evidence/journal.js';
import { type RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, type ActionResult, defineAction } from '../action.js';
import { type Condition, conditionsOf } from './conditions.js';
import { pageOf } from './drive.js';
import { inPlaceOf, outline } from './onElement.js';
import { lacksTarget, targetFields } from './target.js';

const text = z.string().min(1);

export const waitForSchema = z.strictObject({
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
  lacks: (node) => {
    const { expected, visible } = node.fields;
    const isGone = visible === false || ['absent', 'not_present', 'hidden'].includes(String(expected));
    const things = ['text', 'label', 'text_contains'];
    return lacksTarget(node, isGone ? things : [...things, 'url', 'event']);
  },
  async run(fields, context) {
    const asserts: Assert[] = [];
    const extra: Record<string, unknown> = {};
    for (const condition of conditionsOf(fields)) {
      const failure = await failureOf(condition, context, extra);
      asserts.push({ operator: condition.operator, path: condition.what, expected: true, actual: !failure, held: !failure });
      if (failure) return ended(context, { matched: false }, { asserts, failure });
    }
    return ended(context, { matched: true, ...extra }, { asserts });
  },
});

function ended(context: ActionContext, output: object, result: ActionResult): ActionResult {
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
    if (error.code !== 'ui.refused') return inPlaceOf(error, error.code, error.message, 'assertion');
    const { what, isNot, hint = '', target } = condition;
    const around = target ? await outline(context, target) : '';
    const message = `${what} ${isNot} on ${pageOf(context).url()}.${hint}${around}\n${error.message}`;
    return inPlaceOf(error, 'ui.not_seen', message, 'assertion');
  }
}
