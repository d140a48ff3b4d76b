// The action rw.human waits for the decision of a person. `askApproval` does so before another action runs.
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
      'Waits until a person approves or rejects. A rejection that no edge handles fails the run. Without an answer, the run is unknown.',
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
      const reply = await ask({ id: node.id, path, instruction: question, signal });
      if (!reply) return { output: { instruction: question }, failure: unansweredError(question, node.id) };
      const isApproved = reply.answer === 'pass';
      const details = { instruction: question, by: reply.by, ...(reply.note === undefined ? {} : { note: reply.note }) };
      if (!isApproved && !fields.routes) {
        const message = `A person rejected: ${question}\nNo edge of the node handles a rejection, so the run cannot continue.`;
        return { output: { output: 'rejected', ...details }, failure: new RecipeError('manual.refused', 'assertion', message) };
      }
      const update = instance.declaresKey('approved') ? { approved: isApproved } : undefined;
      return finishNode({ runtime, fields, context }, { output: isApproved ? 'approved' : 'rejected', update, details });
    },
  });
}

/** The time limit for the answer of a person. */
export const approvalMs = 3_600_000;

/** Asks a person for approval. Returns undefined when the person approves. */
export async function askApproval(
  instruction: string,
  { refusals }: { refusals: Set<string> },
  { node, path, ask, signal }: ActionContext,
): Promise<ActionResult | undefined> {
  const visit = path.replace(/@\d+$/, '');
  // After a rejection, a retry of the node does not ask again.
  const reply = refusals.has(visit) ? earlierRefusal : await ask({ id: node.id, path, instruction, signal });
  if (reply?.answer === 'pass') return undefined;
  const output = { approval: { instruction, ...(reply ?? {}) } };
  if (!reply) return { output, failure: unansweredError(instruction, node.id) };
  refusals.add(visit);
  return { output, failure: new RecipeError('manual.refused', 'assertion', `A person said no: ${instruction}`) };
}

const earlierRefusal: ManualAnswer = { answer: 'fail', by: 'the previous attempt' };

function unansweredError(instruction: string, id: string): RecipeError {
  const message = `Nobody answered: ${instruction}\nAnswer in a terminal, or with --answer ${id}=pass or --answer ${id}=fail.`;
  return new RecipeError('manual.unanswered', 'undecided', message);
}
