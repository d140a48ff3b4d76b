// Each called recipe as one flow. One that cleans up after itself is three: what it does, its clean-up, and the two in turn.
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
  const flow = (id: string, about: Json, workflow: TranslatedPart<Json> | GraphPart): [string, Json] => {
    const ready = 'json' in workflow ? workflow : createPart({});
    origins.recordSource(['flows', id], { document, keys: [] }, ready);
    const at = ['flows', id, 'workflow'];
    const translated = 'json' in workflow ? workflow.json : translatePart(context, workflow, { origins, at });
    return [id, { ...about, provenance: { recipe: ref }, workflow: translated }];
  };
  const part = (name: 'main' | 'teardown', own: GraphPart) =>
    flow(formatPartFlowId(ref, name), createPartSchema(context, own.ids), own);
  const whole = omitUndefined({ description: json.description ?? json.title, paramsSchema: json.paramsSchema });
  const described = json.description === undefined ? 'title' : 'description';
  origins.recordSource(['flows', ref, 'description'], { document, keys: [described] }, createPart(undefined));
  const main = { entry: graph.entry, ids: graph.main };
  if (!graph.teardown || !hasTeardown(graph)) return [flow(ref, whole, main)];
  const both = flow(ref, whole, createWrapperFlow(context, ref, graph.teardown));
  return [both, part('main', main), part('teardown', graph.teardown)];
}

/** The flow of a part of a recipe. No recipe of a library has such an id: no part of a path is empty. */
export function formatPartFlowId(ref: string, part: 'main' | 'teardown'): string {
  return `${ref}..${part}`;
}

/** A part of a recipe's graph that is walked by itself. */
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

// The clean-up runs whatever came before it, and only then the flow ends as what it did ended.
function createWrapperFlow(context: TranslationContext, ref: string, teardown: GraphPart): TranslatedPart<Json> {
  const { graph, document } = context.recipe;
  const name = JSON.stringify(ref);
  const ids = choosePartIds(graph);
  const call = (part: 'main' | 'teardown', own: ReadonlySet<string>) => ({
    action: 'call',
    ref: formatPartFlowId(ref, part),
    ...createCallParams(context, own),
  });
  const nodes: Json = {
    [ids.main]: {
      ...call('main', graph.main),
      ...{ intent: `Run the recipe ${name}`, next: ids.teardown, rw: { on_fail: 'continue' } },
    },
    [ids.teardown]: { ...call('teardown', teardown.ids), intent: `Clean up after the recipe ${name}`, next: 'verdict' },
    ...createVerdictNodes(ids.main, `Tell how the recipe ${name} ended`),
  };
  const cleanUp = { document, keys: ['workflow', 'teardown'] };
  const whole = { document, keys: ['workflow'] };
  const moved = Object.keys(nodes).map((id): MovedPart => [['workflow', 'nodes', id], id === ids.teardown ? cleanUp : whole]);
  return { json: { entry: ids.main, nodes }, moved: [[['workflow', 'entry'], whole], ...moved] };
}

function createVerdictNodes(source: string, intent: string): Json {
  const ended = (status: string) => ({ source, path: '$.status', operator: 'eq', value: status });
  const cases = [
    { when: ended('pass'), next: 'passed' },
    { when: ended('unknown'), next: 'undecided' },
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

/** The schema of the params that a part of the recipe reads. */
function createPartSchema(context: TranslationContext, ids: ReadonlySet<string>): Json {
  const names = listUsedParams(context, ids);
  const properties = [...readParams(context.recipe)].filter(([name]) => names.includes(name));
  return names.length === 0 ? {} : { paramsSchema: { type: 'object', properties: Object.fromEntries(properties) } };
}

function listUsedParams({ recipe }: TranslationContext, ids: ReadonlySet<string>): string[] {
  const used = new Set([...ids].flatMap((id) => findParams(recipe.graph.nodes.get(id))));
  return [...readParams(recipe).keys()].filter((name) => used.has(name));
}
