// The field with which a node answers the dialogs that it causes.
import * as z from 'zod';
import type { DialogAnswer } from '../../browser/runPages.js';
import { runPagesOf } from '../../browser/runPages.js';
import type { ActionContext } from '../action.js';
import { pageOf } from './withPageErrors.js';

const answer = z.union([
  z.enum(['accept', 'dismiss']),
  z.strictObject({ accept: z.boolean(), text: z.string().optional().describe('The text to enter into a prompt.') }),
]);

export const dialogFields = {
  dialog: answer
    .optional()
    .describe(
      'The answer to alert, confirm, prompt and beforeunload dialogs. Default: dismiss, but accept beforeunload and leave the page.',
    ),
};

type Output = Record<string, unknown>;

/** Adds the dialogs that appeared during `work` to its output. */
export async function withDialogAnswer(
  context: ActionContext,
  dialogField: z.output<typeof answer> | undefined,
  work: () => Promise<Output>,
): Promise<Output> {
  const runPages = runPagesOf(pageOf(context));
  const countBefore = runPages.dialogs.length;
  runPages.dialogAnswer = dialogField === undefined ? undefined : toAnswer(dialogField);
  try {
    const output = await work();
    return runPages.dialogs.length === countBefore ? output : { ...output, dialogs: runPages.dialogs.slice(countBefore) };
  } finally {
    runPages.dialogAnswer = undefined;
  }
}

function toAnswer(dialogField: z.output<typeof answer>): DialogAnswer {
  if (typeof dialogField === 'string') return { accept: dialogField === 'accept' };
  return dialogField.text === undefined ? { accept: dialogField.accept } : { accept: dialogField.accept, text: dialogField.text };
}
