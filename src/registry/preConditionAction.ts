// Runs the gates of a recipe: a node of the plan that no author writes, and that the trace shows like any other.
import * as z from 'zod';
import { type Action, type ActionContext, type ActionResult, defineAction } from '../actions/action.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { RecipeNode } from '../recipe/recipe.js';
import type { GateAnswer, Precondition } from './setup.js';

const schema = z.strictObject({ id: z.string(), params: z.record(z.string(), z.unknown()) });

/** An action that says itself what it means that its time was over; for any other the product is too slow. */
type TimeoutExplainer = { explainTimeout?(node: RecipeNode, late: RecipeError): RecipeError };

export function explainLateFailure(action: Action & TimeoutExplainer, node: RecipeNode, failure: RecipeError): RecipeError {
  return failure.code === 'action.timed_out' && action.explainTimeout ? action.explainTimeout(node, failure) : failure;
}

export function preConditionAction(gates: ReadonlyMap<string, Precondition>): Action {
  const action = defineAction({
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
      return toActionResult(gate, await gate.check(paramsFor(gate, params), pickCheckContext(context)));
    },
  });
  const tells: TimeoutExplainer = {
    explainTimeout({ fields: { id } }, late) {
      const { failureKind, description } = gates.get(String(id)) ?? {};
      const message = `Precondition ${id} was not answered in time, and so does not hold: ${description}\n${late.message} Its "timeoutMs" may give it longer.`;
      return new RecipeError('precondition.timed_out', kindOf(failureKind), message, undefined, { cause: late });
    },
  };
  return { ...action, ...tells };
}

function kindOf(failureKind: Precondition['failureKind']): 'action' | 'precondition' {
  return failureKind === 'product' || failureKind === 'assertion' ? 'action' : 'precondition';
}

function pickCheckContext({ fixtures, projectRoot, inputs, signal }: ActionContext) {
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
function toActionResult({ id, description, failureKind = 'environment' }: Precondition, answer: GateAnswer): ActionResult {
  const { ok, output, error } =
    typeof answer === 'object' && answer !== null ? answer : { ok: answer, output: undefined, error: undefined };
  const seen = { precondition: id, ok: ok === true, ...(output === undefined ? {} : { seen: output }) };
  if (ok === true) return { output: seen };
  const message = `Precondition ${id} does not hold: ${error ?? description}`;
  const failure = new RecipeError('precondition.failed', kindOf(failureKind), message);
  return { output: { ...seen, failure_kind: failureKind }, failure };
}
