// Actions that refuse to change anything below a node: what was brought about once is only looked at the second time.
import { type Action, type ActionContext, type ActionResult, effectOf } from '../actions/action.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { Registry } from '../registry/registry.js';

/** `below` is the node whose children only look; it fails when one of them would have done more, whoever tolerates that. */
export function createReadOnlyRegistry(registry: Registry, below: string): Registry {
  const refused: string[] = [];
  return new Map([...registry].map(([name, action]) => [name, refuseChanges(action, below, refused)]));
}

function refuseChanges(action: Action, below: string, refused: string[]): Action {
  const run: Action['run'] = (fields, context) => {
    if (context.path === below) return failWhenRefused(action.run(fields, context), refused);
    if (!context.path.startsWith(`${below}/`) || !changesState(action, context)) return action.run(fields, context);
    const { node, path } = context;
    refused.push(`${path} (${node.action})`);
    throw notIdempotent(refused);
  };
  // The other facts of the action stay its own, those that its class has among them.
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
  const message = `The second run would have changed something: ${refused.join(', ')}. A flow that ensures a state looks first, and does only what is missing.`;
  return new RecipeError('flow.not_idempotent', 'assertion', message);
}
