import { z } from 'zod';
import { RecipeError, toRecipeError } from '../../evidence/failure.js';
import { defineAction } from '../action.js';
import { describeTarget, drive, locate, pageOf, targetFields } from './target.js';

export const waitFor = defineAction({
  name: 'ui.wait_for',
  description: 'Asserts that an element or a text appears on the page before the deadline.',
  schema: z.strictObject({ ...targetFields, expected: z.enum(['present', 'visible']).default('present') }),
  examples: [
    { description: 'The confirmation is shown.', node: { action: 'ui.wait_for', test_id: 'order-number', expected: 'visible' } },
  ],
  effect: 'reads',
  asserts: true,
  fallible: () => true,
  needs: ['page'],
  timeoutMs: 5_000,
  async run(fields, context) {
    const { expected } = fields;
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
