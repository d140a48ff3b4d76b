import * as z from 'zod';
import { defineAction } from '../action.js';
import { describeTarget, drive, lacksTarget, locate, pageOf, targetFields } from './target.js';

export const press = defineAction({
  name: 'ui.press',
  description: 'Presses a visible, enabled element as a user does; it waits until the element can be pressed.',
  schema: z.strictObject({ ...targetFields, label: targetFields.text.describe('The same as text.') }),
  examples: [{ description: 'Press a button by its test id.', node: { action: 'ui.press', test_id: 'submit-button' } }],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  lacks: (node) => lacksTarget(node, ['text', 'label']),
  async run({ label, ...named }, context) {
    const fields = { ...named, text: named.text ?? label };
    await drive(() => context.call(locate(pageOf(context), fields), 'click', { timeout: context.remainingMs() }));
    return { output: { clicked: true, target: describeTarget(fields) } };
  },
});
