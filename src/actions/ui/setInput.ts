import type { Locator } from '@playwright/test';
import * as z from 'zod';
import { evaluateOnElement } from '../../browser/pageCalls.js';
import { runPagesOf } from '../../browser/runPages.js';
import { describeTarget } from '../../browser/target.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { actOnElement } from './actOnElement.js';
import { dialogFields, withDialogAnswer } from './dialogAnswer.js';
import { describeMissingTarget, fieldFields } from './targetFields.js';
import { pageOf, pageTimeoutMs } from './withPageErrors.js';

const value = z.union([z.string(), z.number()]);

export const setInput = defineAction({
  name: 'ui.set_input',
  description: 'Replaces the value of a form field as a user does. In a select element, chooses the option.',
  schema: z.strictObject({
    ...fieldFields,
    value: value.optional().describe('The text to enter, or the value or label of an option.'),
    text: value.optional().describe('The same as value.'),
    ...dialogFields,
  }),
  examples: [
    { description: 'Fill the address.', node: { action: 'ui.set_input', test_id: 'shipping-address', value: '1 Main Street' } },
    { description: 'Choose a country.', node: { action: 'ui.set_input', label: 'Country', value: 'Iceland' } },
  ],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  secretFields: ['value'],
  describeMissing: (node) =>
    describeMissingTarget(node, ['label']) ??
    ((node.fields.value ?? node.fields.text) === undefined && !isBound(node) ? '"value"' : undefined),
  async run({ value: valueField, text, dialog, ...target }, context) {
    const inputText = String(valueField ?? text ?? '');
    const isSecret = context.isSecret(inputText);
    const work = async () => {
      await actOnElement(context, target, (field) =>
        isSecret ? typeSecret(context, field, inputText) : typeText(context, field, inputText),
      );
      return { set: true, target: describeTarget(target) };
    };
    return { output: await withDialogAnswer(context, dialog, work) };
  },
});

function isBound({ bindings }: { bindings?: ReadonlyMap<string, unknown> }): boolean {
  return bindings?.has('value') === true || bindings?.has('text') === true;
}

async function typeText(context: ActionContext, field: Locator, inputText: string): Promise<void> {
  try {
    await context.call(field, 'fill', inputText, { timeout: pageTimeoutMs(context) });
  } catch (thrown) {
    if (!(thrown instanceof Error) || !/Element is not an <input>/.test(thrown.message)) throw thrown;
    if ((await evaluateOnElement(context.call, field, { run: readTagName, argument: undefined })) !== 'SELECT') throw thrown;
    await context.call(field, 'selectOption', inputText, { timeout: pageTimeoutMs(context) });
  }
}

// Uses CDP, because Playwright would write the argument of `fill` into step titles, traces and error messages.
async function typeSecret(context: ActionContext, field: Locator, inputText: string): Promise<void> {
  runPagesOf(pageOf(context)).addSecretField(field);
  await context.call(field, 'fill', '', { timeout: pageTimeoutMs(context) });
  await insertSecret(context, field, inputText);
  const length = await evaluateOnElement(context.call, field, { run: readLength, argument: undefined });
  if (length === inputText.length) return;
  const message = `The field holds ${length} characters after a secret of ${inputText.length} characters was typed into it. Check whether the field limits its length or changes the input.`;
  throw new RecipeError('ui.input_mismatch', 'action', message);
}

/** Types a secret only while its field has the focus: the text goes to the focused element, and a page can move the focus. */
export async function insertSecret(context: ActionContext, field: Locator, inputText: string): Promise<void> {
  const session = await runPagesOf(pageOf(context))
    .openCdpSession()
    .catch((thrown: unknown) => Promise.reject(needsChromiumError(thrown)));
  const isFocused = (): Promise<boolean> => evaluateOnElement(context.call, field, { run: hasFocus, argument: undefined });
  if (!(await isFocused())) await context.call(field, 'focus', { timeout: pageTimeoutMs(context) });
  if (await isFocused()) await session.send('Input.insertText', { text: inputText });
  else
    throw new RecipeError(
      'ui.input_mismatch',
      'action',
      'The page moves the focus away from the field, so the secret was not typed.',
    );
}

function needsChromiumError(cause: unknown): RecipeError {
  const message = 'A secret can be typed without leaving traces only in Chromium. Run the recipe in Chromium, Chrome or Edge.';
  return new RecipeError('ui.secret_needs_chromium', 'environment', message, undefined, { cause });
}

/** Run in the page. */
const readTagName = (field: object): string => (field as { tagName: string }).tagName;
const hasFocus = (field: object): boolean => {
  type Focusing = { activeElement: { contains(other: object): boolean } | null };
  const { activeElement } = (field as { getRootNode(): Focusing }).getRootNode();
  // In a contenteditable region, the region has the focus, not the element inside it.
  return (
    activeElement?.contains(field) === true && activeElement !== (field as { ownerDocument: { body: object } }).ownerDocument.body
  );
};
const readLength = (field: object): number => {
  const { value: fieldValue, textContent } = field as { value?: string; textContent?: string };
  return (fieldValue ?? textContent ?? '').length;
};
