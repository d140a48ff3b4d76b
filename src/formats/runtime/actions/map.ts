// The actions rw.map and rw.items: rw.items reads the list, and rw.map collects the results of its items in their order.
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
    description: 'Runs a node or a graph for each item of a list in the state. The output is the list of the results.',
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

/** Returns the output of the node that ran for an item. For a graph, returns the outputs of its nodes by id. */
function readItemResult(item: unknown): unknown {
  if (!isObject(item)) return null;
  if (!isObject(item.outputs)) return item.output ?? null;
  return Object.fromEntries(Object.entries(item.outputs).map(([id, output]) => [id, readItemResult(output)]));
}

export function itemsAction(runtime: RuntimeServices): Action {
  return defineEscapedAction({
    name: 'rw.items',
    description: 'Reads the list of a map from the state.',
    schema: z.strictObject({ ...identityFields, path: text.describe('A dotted path in the state.') }),
    examples: [
      { description: 'The topics.', node: { action: 'rw.items', path: 'plan.topics', node: 'topics', level: 0, layer: 0 } },
    ],
    effect: 'none',
    run(fields, context) {
      const instance = runtime.instances.get(fields, context);
      instance.requireStepLeft();
      const values = instance.values(fields, context);
      instance.seedItems(context.path.split('/').slice(0, -1).join('/'), values);
      const result = findPath(values, fields.path);
      if (result.found && Array.isArray(result.value)) return { output: { items: result.value } };
      const problem = result.found ? `is ${JSON.stringify(result.value).slice(0, 80)}, not a list` : 'does not exist';
      const message = `The map ${JSON.stringify(fields.node)} needs a list at ${JSON.stringify(fields.path)} of the state, which ${problem}.`;
      throw new RecipeError('runtime.no_items', 'action', message);
    },
  });
}
