// Translates each called recipe into a flow. A recipe with a teardown becomes three: its main part, its teardown, and a wrapper
// that calls both.
import { omitUndefined } from '../../document/omitUndefined.js';
import type { AuthoredRecipe } from './callTree.js';
import { choosePartIds, hasTeardown } from './graph.js';
import { createPart, type MovedPart, type Origins, type TranslatedPart } from './origins.js';
import { findParams, formatReference } from './references.js';
import { checkParamDefaults, translateNode } from './translateNode.js';
import { getNodeSource, type Json, readParams, type TranslationContext } from './translationContext.js';

export function translateFlows(called: ReadonlyMap<string, AuthoredRecipe>, origins: Origins): [ref: string, flow: Json][] {
  return [...called].flatMap(([ref, recipe]) => toFlows({ recipe, params: 'params', called }, ref, origins));
}

function toFlows(context: TranslationContext, ref: string, origins: Origins): [ref: string, flow: Json][] {
  const { graph, json, document } = context.recipe;
  checkParamDefaults(context.recipe);
  const createFlow = (id: string, fields: Json, workflow: TranslatedPart<Json> | GraphPart): [string, Json] => {
    const part = 'json' in workflow ? workflow : createPart({});
    origins.recordSource(['flows', id], { document, keys: [] }, part);
    const at = ['flows', id, 'workflow'];
    const translated = 'json' in workflow ? workflow.json : translatePart(context, workflow, { origins, at });
    return [id, { ...fields, provenance: { recipe: ref }, workflow: translated }];
  };
  const createPartFlow = (name: 'main' | 'teardown', part: GraphPart) =>
    createFlow(formatPartFlowId(ref, name), createPartSchema(context, part.ids), part);
  const fields = omitUndefined({ description: json.description ?? json.title, paramsSchema: json.paramsSchema });
  const descriptionKey = json.description === undefined ? 'title' : 'description';
  origins.recordSource(['flows', ref, 'description'], { document, keys: [descriptionKey] }, createPart(undefined));
  const main = { entry: graph.entry, ids: graph.main };
  if (!graph.teardown || !hasTeardown(graph)) return [createFlow(ref, fields, main)];
  const wrapper = createFlow(ref, fields, createWrapperFlow(context, ref, graph.teardown));
  return [wrapper, createPartFlow('main', main), createPartFlow('teardown', graph.teardown)];
}

/** Formats the id of the flow of a part. It cannot equal the id of a library recipe, which never contains "..". */
export function formatPartFlowId(ref: string, part: 'main' | 'teardown'): string {
  return `${ref}..${part}`;
}

/** The main graph of a recipe, or its teardown. */
type GraphPart = { entry: string; ids: ReadonlySet<string> };

export function translatePart(
  context: TranslationContext,
  { entry, ids }: GraphPart,
  { origins, at }: { origins: Origins; at: string[] },
): Json {
  const nodes = [...ids].map((id): [string, Json] => {
    return [id, origins.recordSource([...at, 'nodes', id], getNodeSource(context, id), translateNode(context, id))];
  });
  const field = entry === context.recipe.graph.entry ? 'entry' : 'teardown';
  origins.recordSource([...at, 'entry'], { document: context.recipe.document, keys: ['workflow', field] }, createPart(entry));
  return { entry, nodes: Object.fromEntries(nodes) };
}

// The teardown always runs. After it, the flow ends with the status of the main part.
function createWrapperFlow(context: TranslationContext, ref: string, teardown: GraphPart): TranslatedPart<Json> {
  const { graph, document } = context.recipe;
  const name = JSON.stringify(ref);
  const ids = choosePartIds(graph);
  const createCall = (part: 'main' | 'teardown', nodeIds: ReadonlySet<string>) => ({
    action: 'call',
    ref: formatPartFlowId(ref, part),
    ...createCallParams(context, nodeIds),
  });
  const nodes: Json = {
    [ids.main]: {
      ...createCall('main', graph.main),
      intent: `Run the recipe ${name}`,
      next: ids.teardown,
      rw: { on_fail: 'continue' },
    },
    [ids.teardown]: {
      ...createCall('teardown', teardown.ids),
      intent: `Run the teardown of the recipe ${name}`,
      next: 'verdict',
    },
    ...createVerdictNodes(ids.main, `End like the recipe ${name}`),
  };
  const teardownSource = { document, keys: ['workflow', 'teardown'] };
  const workflowSource = { document, keys: ['workflow'] };
  const moved = Object.keys(nodes).map(
    (id): MovedPart => [['workflow', 'nodes', id], id === ids.teardown ? teardownSource : workflowSource],
  );
  return { json: { entry: ids.main, nodes }, moved: [[['workflow', 'entry'], workflowSource], ...moved] };
}

function createVerdictNodes(source: string, intent: string): Json {
  const hasStatus = (status: string) => ({ source, path: '$.status', operator: 'eq', value: status });
  const cases = [
    { when: hasStatus('pass'), next: 'passed' },
    { when: hasStatus('unknown'), next: 'undecided' },
  ];
  return {
    verdict: { action: 'switch', intent, cases, default: 'failed' },
    passed: { action: 'end', status: 'pass' },
    undecided: { action: 'end', status: 'unknown' },
    failed: { action: 'end', status: 'fail' },
  };
}

function createCallParams(context: TranslationContext, ids: ReadonlySet<string>): { params?: Json } {
  const names = listUsedParams(context, ids);
  return names.length === 0 ? {} : { params: Object.fromEntries(names.map((name) => [name, formatReference('params', [name])])) };
}

/** Builds the schema of the params that a part of the recipe reads. */
function createPartSchema(context: TranslationContext, ids: ReadonlySet<string>): Json {
  const names = listUsedParams(context, ids);
  const properties = [...readParams(context.recipe)].filter(([name]) => names.includes(name));
  return names.length === 0 ? {} : { paramsSchema: { type: 'object', properties: Object.fromEntries(properties) } };
}

function listUsedParams({ recipe }: TranslationContext, ids: ReadonlySet<string>): string[] {
  const used = new Set([...ids].flatMap((id) => findParams(recipe.graph.nodes.get(id))));
  return [...readParams(recipe).keys()].filter((name) => used.has(name));
}
