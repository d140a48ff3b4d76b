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
  description: 'Presses a key on whatever has the focus, or on an element that is given the focus first.',
  schema: z.strictObject({
    key: z.string().min(1).describe('As the keyboard names it: Enter, Escape, ArrowDown, Control+A.'),
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
  describeMissing: ({ fields }) => (fields.name !== undefined && fields.role === undefined ? '"role" beside "name"' : undefined),
  async run({ key, dialog, ...target }, context) {
    const { keyboard } = pageOf(context);
    const what = describeTarget(target);
    const work = async () => {
      if (what === '') await withPageErrors(() => context.call(keyboard, 'press', key), context);
      else
        await actOnElement(context, target, (element) =>
          context.call(element, 'press', key, { timeout: pageTimeoutMs(context) }),
        );
      return what === '' ? { key } : { key, target: what };
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
  const message = `There is no key ${JSON.stringify(key)}. Write it as the keyboard names it: a letter, Enter, Escape, Tab, Backspace, ArrowDown, F2, or Control+A.`;
  return withSameStack(error, 'ui.unknown_key', message);
}
