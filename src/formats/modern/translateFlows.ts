// Each called recipe as one flow. One that cleans up after itself is three: what it does, its clean-up, and the two in turn.
import { omitUndefined } from '../../document/omitUndefined.js';
import type { Authored } from './callTree.js';
import { checkDefaults } from './fillParams.js';
import { hasCleanUp, partIds } from './graph.js';
import { type Made, type Moved, made, type Origins } from './origins.js';
import { spell } from './references.js';
import { type Json, paramsOf, type Site, sourceOf } from './site.js';
import { translateNode } from './translateNode.js';
import { paramsIn } from './translateTexts.js';

export function translateFlows(called: ReadonlyMap<string, Authored>, origins: Origins): [ref: string, flow: Json][] {
  return [...called].flatMap(([ref, authored]) => toFlows({ authored, params: 'params', called }, ref, origins));
}

function toFlows(site: Site, ref: string, origins: Origins): [ref: string, flow: Json][] {
  const { graph, json, document } = site.authored;
  checkDefaults(site.authored);
  const flow = (id: string, about: Json, workflow: Made<Json> | Part): [string, Json] => {
    const ready = 'json' in workflow ? workflow : made({});
    origins.put(['flows', id], { document, keys: [] }, ready);
    const at = ['flows', id, 'workflow'];
    const translated = 'json' in workflow ? workflow.json : translatePart(site, workflow, { origins, at });
    return [id, { ...about, provenance: { recipe: ref }, workflow: translated }];
  };
  const part = (name: 'main' | 'teardown', own: Part) => flow(partFlow(ref, name), partSchema(site, own.ids), own);
  const whole = omitUndefined({ description: json.description ?? json.title, paramsSchema: json.paramsSchema });
  const described = json.description === undefined ? 'title' : 'description';
  origins.put(['flows', ref, 'description'], { document, keys: [described] }, made(undefined));
  const main = { entry: graph.entry, ids: graph.main };
  if (!graph.teardown || !hasCleanUp(graph)) return [flow(ref, whole, main)];
  const both = flow(ref, whole, wrap(site, ref, graph.teardown));
  return [both, part('main', main), part('teardown', graph.teardown)];
}

/** The flow of a part of a recipe. No recipe of a library has such an id: no part of a path is empty. */
export function partFlow(ref: string, part: 'main' | 'teardown'): string {
  return `${ref}..${part}`;
}

/** A part of a recipe's graph that is walked by itself. */
export type Part = { entry: string; ids: ReadonlySet<string> };

export function translatePart(site: Site, { entry, ids }: Part, { origins, at }: { origins: Origins; at: string[] }): Json {
  const nodes = [...ids].map((id): [string, Json] => {
    return [id, origins.put([...at, 'nodes', id], sourceOf(site, id), translateNode(site, id))];
  });
  const field = entry === site.authored.graph.entry ? 'entry' : 'teardown';
  origins.put([...at, 'entry'], { document: site.authored.document, keys: ['workflow', field] }, made(entry));
  return { entry, nodes: Object.fromEntries(nodes) };
}

// The clean-up runs whatever came before it, and only then the flow ends as what it did ended.
function wrap(site: Site, ref: string, teardown: Part): Made<Json> {
  const { graph, document } = site.authored;
  const name = JSON.stringify(ref);
  const ids = partIds(graph);
  const call = (part: 'main' | 'teardown', own: ReadonlySet<string>) => ({
    action: 'call',
    ref: partFlow(ref, part),
    ...passedOn(site, own),
  });
  const nodes: Json = {
    [ids.main]: {
      ...call('main', graph.main),
      ...{ intent: `Run the recipe ${name}`, next: ids.teardown, rw: { on_fail: 'continue' } },
    },
    [ids.teardown]: { ...call('teardown', teardown.ids), intent: `Clean up after the recipe ${name}`, next: 'verdict' },
    ...verdictNodes(ids.main, `Tell how the recipe ${name} ended`),
  };
  const cleanUp = { document, keys: ['workflow', 'teardown'] };
  const whole = { document, keys: ['workflow'] };
  const moved = Object.keys(nodes).map((id): Moved => [['workflow', 'nodes', id], id === ids.teardown ? cleanUp : whole]);
  return { json: { entry: ids.main, nodes }, moved: [[['workflow', 'entry'], whole], ...moved] };
}

function verdictNodes(source: string, intent: string): Json {
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

function passedOn(site: Site, ids: ReadonlySet<string>): { params?: Json } {
  const names = paramsUsed(site, ids);
  return names.length === 0 ? {} : { params: Object.fromEntries(names.map((name) => [name, spell('params', [name])])) };
}

/** The schema of the params that a part of the recipe reads. */
function partSchema(site: Site, ids: ReadonlySet<string>): Json {
  const names = paramsUsed(site, ids);
  const properties = [...paramsOf(site.authored)].filter(([name]) => names.includes(name));
  return names.length === 0 ? {} : { paramsSchema: { type: 'object', properties: Object.fromEntries(properties) } };
}

function paramsUsed({ authored }: Site, ids: ReadonlySet<string>): string[] {
  const used = new Set([...ids].flatMap((id) => paramsIn(authored.graph.nodes.get(id))));
  return [...paramsOf(authored).keys()].filter((name) => used.has(name));
}
