// What a node says to the dialogs it causes.
import * as z from 'zod';
import type { DialogAnswer } from '../../browser/runPages.js';
import { runPagesOf } from '../../browser/runPages.js';
import type { ActionContext } from '../action.js';
import { pageOf } from './withPageErrors.js';

const answer = z.union([
  z.enum(['accept', 'dismiss']),
  z.strictObject({ accept: z.boolean(), text: z.string().optional().describe('What is typed into a prompt.') }),
]);

export const dialogFields = {
  dialog: answer
    .optional()
    .describe(
      'How alert, confirm, prompt and the question whether to leave are answered; dismissed (and left) when nothing is said.',
    ),
};

type Output = Record<string, unknown>;

/** The output of the work, with the dialogs that came up meanwhile. */
export async function withDialogAnswer(
  context: ActionContext,
  given: z.output<typeof answer> | undefined,
  work: () => Promise<Output>,
): Promise<Output> {
  const stage = runPagesOf(pageOf(context));
  const before = stage.dialogs.length;
  stage.dialogAnswer = given === undefined ? undefined : toAnswer(given);
  try {
    const output = await work();
    return stage.dialogs.length === before ? output : { ...output, dialogs: stage.dialogs.slice(before) };
  } finally {
    stage.dialogAnswer = undefined;
  }
}

function toAnswer(given: z.output<typeof answer>): DialogAnswer {
  if (typeof given === 'string') return { accept: given === 'accept' };
  return given.text === undefined ? { accept: given.accept } : { accept: given.accept, text: given.text };
}
