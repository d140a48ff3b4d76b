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
  description: 'Types a value into a field as a user does, in place of what stood there; in a list it chooses the option.',
  schema: z.strictObject({
    ...fieldFields,
    value: value.optional().describe('The text, or the value or label of an option.'),
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
  async run({ value: given, text, dialog, ...target }, context) {
    const typed = String(given ?? text ?? '');
    const isSecret = context.isSecret(typed);
    const work = async () => {
      await actOnElement(context, target, (field) =>
        isSecret ? typeSecret(context, field, typed) : typeText(context, field, typed),
      );
      return { set: true, target: describeTarget(target) };
    };
    return { output: await withDialogAnswer(context, dialog, work) };
  },
});

function isBound({ bindings }: { bindings?: ReadonlyMap<string, unknown> }): boolean {
  return bindings?.has('value') === true || bindings?.has('text') === true;
}

async function typeText(context: ActionContext, field: Locator, typed: string): Promise<void> {
  try {
    await context.call(field, 'fill', typed, { timeout: pageTimeoutMs(context) });
  } catch (thrown) {
    if (!(thrown instanceof Error) || !/Element is not an <input>/.test(thrown.message)) throw thrown;
    if ((await evaluateOnElement(context.call, field, { run: tagOf, argument: undefined })) !== 'SELECT') throw thrown;
    await context.call(field, 'selectOption', typed, { timeout: pageTimeoutMs(context) });
  }
}

// `fill` would write the value into the titles of steps, traces and errors; a message to the browser stands in none of them.
async function typeSecret(context: ActionContext, field: Locator, typed: string): Promise<void> {
  const stage = runPagesOf(pageOf(context));
  stage.addSecretField(field);
  await context.call(field, 'fill', '', { timeout: pageTimeoutMs(context) });
  await insertSecret(context, field, typed);
  const length = await evaluateOnElement(context.call, field, { run: lengthOf, argument: undefined });
  if (length === typed.length) return;
  const message = `The field holds ${length} characters after a secret of ${typed.length} was typed into it. It may be too short for it, or change what is typed.`;
  throw new RecipeError('ui.input_mismatch', 'action', message);
}

/** The text goes to whatever has the focus, and a page may have moved it on: a secret goes into its own field or nowhere. */
export async function insertSecret(context: ActionContext, field: Locator, typed: string): Promise<void> {
  const session = await runPagesOf(pageOf(context))
    .openCdpSession()
    .catch((thrown: unknown) => Promise.reject(needsChromiumError(thrown)));
  const isReady = (): Promise<boolean> => evaluateOnElement(context.call, field, { run: hasFocus, argument: undefined });
  if (!(await isReady())) await context.call(field, 'focus', { timeout: pageTimeoutMs(context) });
  if (await isReady()) await session.send('Input.insertText', { text: typed });
  else throw new RecipeError('ui.input_mismatch', 'action', 'The page moves the focus away from the field: no secret was typed.');
}

function needsChromiumError(cause: unknown): RecipeError {
  const message = 'A secret can be typed off the record only in Chromium, and this browser is another one. Run the recipe there.';
  return new RecipeError('ui.secret_needs_chromium', 'environment', message, undefined, { cause });
}

/** Run in the page. */
const tagOf = (field: object): string => (field as { tagName: string }).tagName;
const hasFocus = (field: object): boolean => {
  type Focusing = { activeElement: { contains(other: object): boolean } | null };
  const { activeElement } = (field as { getRootNode(): Focusing }).getRootNode();
  // In a text that can be edited, the whole of it has the focus.
  return (
    activeElement?.contains(field) === true && activeElement !== (field as { ownerDocument: { body: object } }).ownerDocument.body
  );
};
const lengthOf = (field: object): number => {
  const { value: own, textContent } = field as { value?: string; textContent?: string };
  return (own ?? textContent ?? '').length;
};
