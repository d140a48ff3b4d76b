// A map: its items are looked up, its processor runs for each of them, and the results are put together in their order.
import * as z from 'zod';
import type { Action } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/failure.js';
import { isObject } from '../scalars.js';
import { unshield } from '../shield.js';
import { findPath } from '../values.js';
import { missingRouter, routerPrograms } from './askRouter.js';
import { conclude, type Runtime } from './conclude.js';
import { common, defineShielded, self, text } from './fields.js';

export function mapAction(runtime: Runtime): Action {
  return defineShielded({
    name: 'rw.map',
    description:
      'Runs a node, or a graph of them, for each item of a list in the state; its output is the list of what they gave.',
    schema: z.strictObject(common),
    examples: [
      { description: 'For each topic.', node: { action: 'rw.map', node: 'topics', level: 0, layer: 0, body: { nodes: {} } } },
    ],
    effect: 'none',
    opens: ({ body }) => body && { kind: 'all', nodes: body.nodes, inTurn: true, pipe: false, limit: 1 },
    programs: ({ fields }) => routerPrograms(runtime.registered, unshield(fields.routes)),
    cannot: ({ fields }) => missingRouter(runtime.registered, unshield(fields.routes)),
    async run(fields, context) {
      runtime.instances.of(fields, context).step(context.path);
      const each = context.body?.outputs.get('each') as { items?: readonly unknown[] } | undefined;
      return conclude({ runtime, fields, context }, { output: (each?.items ?? []).map(resultOf) });
    },
  });
}

/** What the node gave, or by node what the graph did. */
function resultOf(item: unknown): unknown {
  if (!isObject(item)) return null;
  if (!isObject(item.outputs)) return item.output ?? null;
  return Object.fromEntries(Object.entries(item.outputs).map(([id, given]) => [id, resultOf(given)]));
}

export function itemsAction(runtime: Runtime): Action {
  return defineShielded({
    name: 'rw.items',
    description: 'Looks up the list that a map runs over.',
    schema: z.strictObject({ ...self, path: text.describe('In dots, in the state.') }),
    examples: [
      { description: 'The topics.', node: { action: 'rw.items', path: 'plan.topics', node: 'topics', level: 0, layer: 0 } },
    ],
    effect: 'none',
    run(fields, context) {
      const instance = runtime.instances.of(fields, context);
      instance.roomForStep();
      const values = instance.values(fields, context);
      instance.seed(context.path.split('/').slice(0, -1).join('/'), values);
      const found = findPath(values, fields.path);
      if (found.found && Array.isArray(found.value)) return { output: { items: found.value } };
      const seen = found.found ? `is ${JSON.stringify(found.value).slice(0, 80)}, not a list` : 'is not there';
      const message = `The map ${JSON.stringify(fields.node)} runs over ${JSON.stringify(fields.path)} of the state, which ${seen}.`;
      throw new RecipeError('runtime.no_items', 'action', message);
    },
  });
}
