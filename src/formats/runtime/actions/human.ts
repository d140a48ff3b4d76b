import * as z from 'zod';
import type { Action } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/failure.js';
import { unshield } from '../shield.js';
import { approvalMs, unanswered } from './approve.js';
import { missingRouter, routerPrograms } from './askRouter.js';
import { conclude, type Runtime } from './conclude.js';
import { common, defineShielded } from './fields.js';

export function humanAction(runtime: Runtime): Action {
  return defineShielded({
    name: 'rw.human',
    description:
      'Waits for a person, who approves or rejects. A rejection that no edge asks about fails the run; without an answer it is unknown.',
    schema: z.strictObject(common),
    examples: [{ description: 'An approval.', node: { action: 'rw.human', node: 'step_2', level: 0, layer: 1 } }],
    effect: 'user',
    fallible: () => true,
    timeoutMs: approvalMs,
    programs: ({ fields }) => routerPrograms(runtime.registered, unshield(fields.routes)),
    cannot: ({ fields }) => missingRouter(runtime.registered, unshield(fields.routes)),
    async run(fields, context) {
      const { node, path, ask, signal } = context;
      const instance = runtime.instances.of(fields, context);
      instance.step(path);
      const question = node.intent ?? fields.node;
      const answered = await ask({ id: node.id, path, instruction: question, signal });
      if (!answered) return { output: { instruction: question }, failure: unanswered(question, node.id) };
      const isApproved = answered.answer === 'pass';
      const told = { instruction: question, by: answered.by, ...(answered.note === undefined ? {} : { note: answered.note }) };
      if (!isApproved && !fields.routes) {
        const message = `A person rejected: ${question}\nNo edge asks about the answer, so there is no other way to go.`;
        return { output: { output: 'rejected', ...told }, failure: new RecipeError('manual.refused', 'assertion', message) };
      }
      const update = instance.declares('approved') ? { approved: isApproved } : undefined;
      return conclude({ runtime, fields, context }, { output: isApproved ? 'approved' : 'rejected', update, told });
    },
  });
}
