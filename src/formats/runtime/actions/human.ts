import * as z from 'zod';
import type { Action, ActionContext, ActionResult, ManualAnswer } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { unescapeBraces } from '../escapeBraces.js';
import { commonFields, defineEscapedAction } from './fields.js';
import { describeMissingRouter, finishNode, type RuntimeServices, routerPrograms } from './finishNode.js';

export function humanAction(runtime: RuntimeServices): Action {
  return defineEscapedAction({
    name: 'rw.human',
    description:
      'Waits for a person, who approves or rejects. A rejection that no edge asks about fails the run; without an answer it is unknown.',
    schema: z.strictObject(commonFields),
    examples: [{ description: 'An approval.', node: { action: 'rw.human', node: 'step_2', level: 0, layer: 1 } }],
    effect: 'user',
    fallible: () => true,
    timeoutMs: approvalMs,
    programs: ({ fields }) => routerPrograms(runtime.handlers, unescapeBraces(fields.routes)),
    describeUnsupported: ({ fields }) => describeMissingRouter(runtime.handlers, unescapeBraces(fields.routes)),
    async run(fields, context) {
      const { node, path, ask, signal } = context;
      const instance = runtime.instances.get(fields, context);
      instance.countStep(path);
      const question = node.intent ?? fields.node;
      const answered = await ask({ id: node.id, path, instruction: question, signal });
      if (!answered) return { output: { instruction: question }, failure: unansweredError(question, node.id) };
      const isApproved = answered.answer === 'pass';
      const details = { instruction: question, by: answered.by, ...(answered.note === undefined ? {} : { note: answered.note }) };
      if (!isApproved && !fields.routes) {
        const message = `A person rejected: ${question}\nNo edge asks about the answer, so there is no other way to go.`;
        return { output: { output: 'rejected', ...details }, failure: new RecipeError('manual.refused', 'assertion', message) };
      }
      const update = instance.declaresKey('approved') ? { approved: isApproved } : undefined;
      return finishNode({ runtime, fields, context }, { output: isApproved ? 'approved' : 'rejected', update, details });
    },
  });
}

// Asks a person before something is done.

/** How long a person may take. */
export const approvalMs = 3_600_000;

/** Undefined when it may be done. */
export async function askApproval(
  instruction: string,
  { refusals }: { refusals: Set<string> },
  { node, path, ask, signal }: ActionContext,
): Promise<ActionResult | undefined> {
  const visit = path.replace(/@\d+$/, '');
  // Who said no is not asked again because the node is tried again.
  const reply = refusals.has(visit) ? refusedBefore : await ask({ id: node.id, path, instruction, signal });
  if (reply?.answer === 'pass') return undefined;
  const output = { approval: { instruction, ...(reply ?? {}) } };
  if (!reply) return { output, failure: unansweredError(instruction, node.id) };
  refusals.add(visit);
  return { output, failure: new RecipeError('manual.refused', 'assertion', `A person said no: ${instruction}`) };
}

const refusedBefore: ManualAnswer = { answer: 'fail', by: 'the try before' };

function unansweredError(instruction: string, id: string): RecipeError {
  const message = `Nobody answered: ${instruction}\nAnswer in a terminal, or by --answer ${id}=pass or ${id}=fail.`;
  return new RecipeError('manual.unanswered', 'undecided', message);
}
