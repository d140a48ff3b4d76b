// Asks a person before something is done.

import type { ActionContext, ActionResult, Answered } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/failure.js';

/** How long a person may take. */
export const approvalMs = 3_600_000;

/** Undefined when it may be done. */
export async function approve(
  instruction: string,
  { refusals }: { refusals: Set<string> },
  { node, path, ask, signal }: ActionContext,
): Promise<ActionResult | undefined> {
  const visit = path.replace(/@\d+$/, '');
  // Who said no is not asked again because the node is tried again.
  const answered = refusals.has(visit) ? refused : await ask({ id: node.id, path, instruction, signal });
  if (answered?.answer === 'pass') return undefined;
  const output = { approval: { instruction, ...(answered ?? {}) } };
  if (!answered) return { output, failure: unanswered(instruction, node.id) };
  refusals.add(visit);
  return { output, failure: new RecipeError('manual.refused', 'assertion', `A person said no: ${instruction}`) };
}

const refused: Answered = { answer: 'fail', by: 'the try before' };

export function unanswered(instruction: string, id: string): RecipeError {
  const message = `Nobody answered: ${instruction}\nAnswer in a terminal, or by --answer ${id}=pass or ${id}=fail.`;
  return new RecipeError('manual.unanswered', 'undecided', message);
}
