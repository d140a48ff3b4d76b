// Runs the gates of a recipe: a node of the plan that no author writes, and that the trace shows like any other.
import * as z from 'zod';
import { RecipeError } from '../evidence/failure.js';
import { type Action, type ActionContext, type ActionResult, defineAction } from './action.js';
import type { GateAnswer, Precondition } from './setup.js';

const schema = z.strictObject({ id: z.string(), params: z.record(z.string(), z.unknown()) });

export function preConditionAction(gates: ReadonlyMap<string, Precondition>): Action {
  return defineAction({
    name: 'pre_condition',
    description: 'Checks a precondition of the recipe.',
    internal: true,
    schema,
    examples: [],
    effect: 'reads',
    needs: ({ fields: { id } }) => gates.get(String(id))?.needs ?? [],
    timeoutMs: ({ fields: { id } }) => gates.get(String(id))?.timeoutMs,
    async run({ id, params }, context) {
      const gate = gates.get(id);
      if (!gate)
        throw new RecipeError('precondition.no_checker', 'precondition', `Precondition ${id} has no checker registered.`);
      return concluded(gate, await gate.check(paramsFor(gate, params), around(context)));
    },
  });
}

function around({ fixtures, projectRoot, inputs, signal }: ActionContext) {
  return { fixtures, projectRoot, inputs, signal };
}

function paramsFor({ id, params: model }: Precondition, params: Record<string, unknown>): unknown {
  if (!model) return params;
  const parsed = model.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = `Precondition ${id} does not accept these params: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  throw new RecipeError('precondition.invalid_params', 'precondition', message);
}

// Anything but a clear yes keeps the gate closed.
function concluded({ id, description, failureKind = 'environment' }: Precondition, answer: GateAnswer): ActionResult {
  const { ok, output, error } =
    typeof answer === 'object' && answer !== null ? answer : { ok: answer, output: undefined, error: undefined };
  const seen = { precondition: id, ok: ok === true, ...(output === undefined ? {} : { seen: output }) };
  if (ok === true) return { output: seen };
  const kind = failureKind === 'product' || failureKind === 'assertion' ? 'action' : 'precondition';
  const message = `Precondition ${id} does not hold: ${error ?? description}`;
  return { output: { ...seen, failure_kind: failureKind }, failure: new RecipeError('precondition.failed', kind, message) };
}
