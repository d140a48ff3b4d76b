// A map: its items are looked up, its processor runs for each of them, and the results are put together in their order.
import * as z from 'zod';
import type { Action } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { unescapeBraces } from '../escapeBraces.js';
import { isObject } from '../python/pythonJson.js';
import { findPath } from '../runtimeValues.js';
import { commonFields, defineEscapedAction, identityFields, text } from './fields.js';
import { describeMissingRouter, finishNode, type RuntimeServices, routerPrograms } from './finishNode.js';

export function mapAction(runtime: RuntimeServices): Action {
  return defineEscapedAction({
    name: 'rw.map',
    description:
      'Runs a node, or a graph of them, for each item of a list in the state; its output is the list of what they gave.',
    schema: z.strictObject(commonFields),
    examples: [
      { description: 'For each topic.', node: { action: 'rw.map', node: 'topics', level: 0, layer: 0, body: { nodes: {} } } },
    ],
    effect: 'none',
    planRegion: ({ body }) => body && { kind: 'all', nodes: body.nodes, inTurn: true, pipe: false, limit: 1 },
    programs: ({ fields }) => routerPrograms(runtime.handlers, unescapeBraces(fields.routes)),
    describeUnsupported: ({ fields }) => describeMissingRouter(runtime.handlers, unescapeBraces(fields.routes)),
    async run(fields, context) {
      runtime.instances.get(fields, context).countStep(context.path);
      const each = context.body?.outputs.get('each') as { items?: readonly unknown[] } | undefined;
      return finishNode({ runtime, fields, context }, { output: (each?.items ?? []).map(readItemResult) });
    },
  });
}

/** What the node gave, or by node what the graph did. */
function readItemResult(item: unknown): unknown {
  if (!isObject(item)) return null;
  if (!isObject(item.outputs)) return item.output ?? null;
  return Object.fromEntries(Object.entries(item.outputs).map(([id, given]) => [id, readItemResult(given)]));
}

export function itemsAction(runtime: RuntimeServices): Action {
  return defineEscapedAction({
    name: 'rw.items',
    description: 'Looks up the list that a map runs over.',
    schema: z.strictObject({ ...identityFields, path: text.describe('In dots, in the state.') }),
    examples: [
      { description: 'The topics.', node: { action: 'rw.items', path: 'plan.topics', node: 'topics', level: 0, layer: 0 } },
    ],
    effect: 'none',
    run(fields, context) {
      const instance = runtime.instances.get(fields, context);
      instance.requireStepLeft();
      const values = instance.values(fields, context);
      instance.seedItems(context.path.split('/').slice(0, -1).join('/'), values);
      const found = findPath(values, fields.path);
      if (found.found && Array.isArray(found.value)) return { output: { items: found.value } };
      const seen = found.found ? `is ${JSON.stringify(found.value).slice(0, 80)}, not a list` : 'is not there';
      const message = `The map ${JSON.stringify(fields.node)} runs over ${JSON.stringify(fields.path)} of the state, which ${seen}.`;
      throw new RecipeError('runtime.no_items', 'action', message);
    },
  });
}
