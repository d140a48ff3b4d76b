// Wraps the actions of a registry so that the nodes inside one node cannot change state. Checks that a second call of a flow changes nothing.
import { type Action, type ActionContext, type ActionResult, effectOf } from '../actions/action.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { Registry } from '../registry/registry.js';

/**
 * `readOnlyPath` is the path of the node whose children may only read. The node fails when one of its children tries to change state, even
 * if the recipe tolerates the failure of the child.
 */
export function createReadOnlyRegistry(registry: Registry, readOnlyPath: string): Registry {
  const refused: string[] = [];
  return new Map([...registry].map(([name, action]) => [name, refuseChanges(action, readOnlyPath, refused)]));
}

function refuseChanges(action: Action, readOnlyPath: string, refused: string[]): Action {
  const run: Action['run'] = (fields, context) => {
    if (context.path === readOnlyPath) return failWhenRefused(action.run(fields, context), refused);
    if (!context.path.startsWith(`${readOnlyPath}/`) || !changesState(action, context)) return action.run(fields, context);
    const { node, path } = context;
    refused.push(`${path} (${node.action})`);
    throw notIdempotent(refused);
  };
  // The wrapper inherits all other properties of the action, including those of its class.
  return Object.assign(Object.create(action) as Action, { run });
}

function changesState(action: Action, { node }: ActionContext): boolean {
  const effect = effectOf(action, node);
  return effect === 'user' || effect === 'backdoor';
}

async function failWhenRefused(result: ActionResult | Promise<ActionResult>, refused: readonly string[]): Promise<ActionResult> {
  const outcome = await result;
  return refused.length === 0 || outcome.failure ? outcome : { ...outcome, failure: notIdempotent(refused) };
}

function notIdempotent(refused: readonly string[]): RecipeError {
  const message = `The second call of the flow would have changed something: ${refused.join(', ')}. A flow that ensures a state must check the state first, and change only what is missing.`;
  return new RecipeError('flow.not_idempotent', 'assertion', message);
}
