// What follows from what a node gave: what changes in the state, and which edges fire.

import type { ActionContext, ActionResult } from '../../../actions/action.js';
import { type RecipeError, toRecipeError } from '../../../evidence/failure.js';
import { holds, readCondition } from '../condition.js';
import type { RuntimeValues } from '../values.js';
import { type After, askRouter } from './askRouter.js';
import type { Common, Route } from './fields.js';
import type { Instances } from './instance.js';
import type { Registered } from './registered.js';

/** What the actions of one setup share. */
export type Runtime = { registered: Registered; instances: Instances };

type Dict = Readonly<Record<string, unknown>>;

/** `told`: what the trace shows beside it. */
export type Given = { output: unknown; update?: Dict | undefined; told?: Dict };

/** A node that has done its work. */
export type Done = { runtime: Runtime; fields: Common; context: ActionContext };

export async function conclude({ runtime, fields, context }: Done, given: Given): Promise<ActionResult> {
  const instance = runtime.instances.of(fields, context);
  const { output, update, told } = given;
  const seen = instance.values(fields, context);
  const nodes = { ...seen.nodes, [fields.node]: output };
  const values: RuntimeValues = { ...seen, nodes, state: { ...seen.state, ...update }, output };
  instance.keep(fields, context.path, given);
  const ways = await routesAfter(fields.routes ?? [], runtime, { values, context });
  const changed = update && Object.keys(update).length > 0 ? { update } : {};
  const routes = ways.told.length > 0 ? { routes: ways.told } : {};
  const whole = { output: output ?? null, ...changed, ...told, ...routes };
  return ways.failure ? { output: whole, failure: ways.failure, final: true } : { output: whole };
}

/** What the node did is done: that nobody knows where to go from there is no reason to do it again. */
async function routesAfter(routes: readonly Route[], { registered }: Runtime, after: After): Promise<Ways> {
  const told: Dict[] = [];
  for (const route of routes) {
    try {
      told.push('condition' in route ? asked(route.condition, after) : await askRouter(registered, route, after));
    } catch (thrown) {
      return { told, failure: toRecipeError(thrown) };
    }
  }
  return { told };
}

type Ways = { told: readonly Dict[]; failure?: RecipeError };

function asked(condition: string, { values }: After): Dict {
  return { condition, fires: holds(readCondition(condition), values) };
}
