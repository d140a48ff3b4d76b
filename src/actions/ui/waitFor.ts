import * as z from 'zod';
import { RecipeError, toRecipeError } from '../../evidence/failure.js';
import { defineAction } from '../action.js';
import { describeTarget, drive, lacksTarget, locate, pageOf, targetFields } from './target.js';

export const waitFor = defineAction({
  name: 'ui.wait_for',
  description: 'Asserts that an element or a text appears on the page before the deadline.',
  schema: z.strictObject({
    ...targetFields,
    text_contains: z.array(z.string().min(1)).min(1).optional().describe('Texts that all appear.'),
    expected: z.enum(['present', 'visible', 'absent', 'not_present', 'hidden']).default('present'),
    visible: z.boolean().optional().describe('true is the same as expected: "visible".'),
    event: z.string().min(1).optional().describe('A page event, such as load.'),
  }),
  examples: [
    { description: 'The confirmation is shown.', node: { action: 'ui.wait_for', test_id: 'order-number', expected: 'visible' } },
  ],
  effect: 'reads',
  asserts: true,
  fallible: () => true,
  needs: ['page'],
  timeoutMs: 5_000,
  lacks: (node) => lacksTarget(node, ['text', 'text_contains', 'event']),
  cannot: ({ fields: { expected = 'present', ...fields } }) =>
    unsupported.find((name) => fields[name] !== undefined || name === expected),
  async run(fields, context) {
    const expected = fields.visible ? 'visible' : fields.expected;
    const page = pageOf(context);
    const element = locate(page, fields).first();
    const made = { operator: expected, path: describeTarget(fields), expected: true };
    const target = context.node.proofTarget === undefined ? {} : { proofTarget: context.node.proofTarget };
    try {
      await drive(() =>
        context.call(element, 'waitFor', {
          state: expected === 'visible' ? 'visible' : 'attached',
          timeout: context.remainingMs(),
        }),
      );
      return { output: { matched: true, url: page.url() }, asserts: [{ ...made, actual: true, held: true, ...target }] };
    } catch (thrown) {
      const error = toRecipeError(thrown);
      if (error.code !== 'ui.refused') throw error;
      const failure = new RecipeError(
        'ui.not_seen',
        'assertion',
        `${describeTarget(fields)} is not ${expected} on ${page.url()}.\n${error.message}`,
      );
      if (error.stack) failure.stack = error.stack;
      return {
        output: { matched: false, url: page.url() },
        asserts: [{ ...made, actual: false, held: false, ...target }],
        failure,
      };
    }
  },
});

const unsupported = ['absent', 'not_present', 'hidden', 'text_contains', 'event'];
