import * as z from 'zod';
import { describeTarget } from '../../browser/target.js';
import { type RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';
import { actOnElement, withSameStack } from './actOnElement.js';
import { dialogFields, withDialogAnswer } from './dialogAnswer.js';
import { fieldFields } from './targetFields.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

export const keyPress = defineAction({
  name: 'ui.key_press',
  description: 'Presses a key on the focused element. With a target, focuses that element first.',
  schema: z.strictObject({
    key: z.string().min(1).describe('A key or a combination, such as Enter, Escape, ArrowDown or Control+A.'),
    ...fieldFields,
    ...dialogFields,
  }),
  examples: [
    { description: 'Close the dialog.', node: { action: 'ui.key_press', key: 'Escape' } },
    { description: 'Send the search.', node: { action: 'ui.key_press', key: 'Enter', label: 'Search' } },
  ],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  describeMissing: ({ fields }) => (fields.name !== undefined && fields.role === undefined ? '"role" with "name"' : undefined),
  async run({ key, dialog, ...target }, context) {
    const { keyboard } = pageOf(context);
    const description = describeTarget(target);
    const work = async () => {
      if (description === '') await withPageErrors(() => context.call(keyboard, 'press', key), context);
      else
        await actOnElement(context, target, (element) =>
          context.call(element, 'press', key, { timeout: pageTimeoutMs(context) }),
        );
      return description === '' ? { key } : { key, target: description };
    };
    return {
      output: await withDialogAnswer(context, dialog, work).catch((thrown) =>
        Promise.reject(explainUnknownKey(toRecipeError(thrown))),
      ),
    };
  },
});

function explainUnknownKey(error: RecipeError): RecipeError {
  const [, key] = /Unknown key: "(.*)"/.exec(error.message) ?? [];
  if (key === undefined) return error;
  const message = `There is no key ${JSON.stringify(key)}. Use a letter, a key such as Enter, Escape, Tab, Backspace, ArrowDown or F2, or a combination such as Control+A.`;
  return withSameStack(error, 'ui.unknown_key', message);
}
