// The internal action that checks a precondition. The plan adds a node with it for each precondition of a recipe.

import * as z from 'zod';
import { type Action, type ActionContext, type ActionResult, defineAction } from '../actions/action.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { RecipeNode } from '../recipe/recipe.js';
import type { GateAnswer, Precondition } from './setup.js';

const schema = z.strictObject({ id: z.string(), params: z.record(z.string(), z.unknown()) });

/** An action that reports its timeout with its own error. For every other action, a timeout is a failure of the app under test. */
type TimeoutExplainer = { explainTimeout?(node: RecipeNode, failure: RecipeError): RecipeError };

/** Returns the action's own error for a timeout. Returns every other failure unchanged. */
export function explainLateFailure(action: Action & TimeoutExplainer, node: RecipeNode, failure: RecipeError): RecipeError {
  return failure.code === 'action.timed_out' && action.explainTimeout ? action.explainTimeout(node, failure) : failure;
}

export function createPreConditionAction(preconditions: ReadonlyMap<string, Precondition>): Action {
  const action = defineAction({
    name: 'pre_condition',
    description: 'Checks a precondition of the recipe.',
    internal: true,
    schema,
    examples: [],
    effect: 'reads',
    needs: ({ fields: { id } }) => preconditions.get(String(id))?.needs ?? [],
    timeoutMs: ({ fields: { id } }) => preconditions.get(String(id))?.timeoutMs,
    async run({ id, params }, context) {
      const precondition = preconditions.get(id);
      if (!precondition)
        throw new RecipeError('precondition.no_checker', 'precondition', `Precondition ${id} has no checker registered.`);
      return toActionResult(precondition, await precondition.check(paramsFor(precondition, params), pickCheckContext(context)));
    },
  });
  const explainer: TimeoutExplainer = {
    explainTimeout({ fields: { id } }, failure) {
      const { failureKind, description } = preconditions.get(String(id)) ?? {};
      const message = `The check of precondition ${id} timed out, so it does not hold: ${description}\n${failure.message} Raise "timeoutMs" of the precondition if the check needs longer.`;
      return new RecipeError('precondition.timed_out', kindOf(failureKind), message, undefined, { cause: failure });
    },
  };
  return { ...action, ...explainer };
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
  const message = `The params of precondition ${id} are invalid: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  throw new RecipeError('precondition.invalid_params', 'precondition', message);
}

// Only `true` counts as met, not every truthy value.
function toActionResult({ id, description, failureKind = 'environment' }: Precondition, answer: GateAnswer): ActionResult {
  const { ok, output, error } =
    typeof answer === 'object' && answer !== null ? answer : { ok: answer, output: undefined, error: undefined };
  const result = { precondition: id, ok: ok === true, ...omitUndefined({ seen: output }) };
  if (ok === true) return { output: result };
  const message = `Precondition ${id} does not hold: ${error ?? description}`;
  const failure = new RecipeError('precondition.failed', kindOf(failureKind), message);
  return { output: { ...result, failure_kind: failureKind }, failure };
}
