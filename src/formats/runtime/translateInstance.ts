// A manifest as a walk: its state is opened, its topology runs, what it promised is checked.
import type { Manifest, State } from './manifest.js';
import { wholeOf } from './parts.js';
import { withoutSecrets } from './secrets.js';
import { shield } from './shield.js';
import { askedAs, type Json, type Place, placed, type Site, selfOf } from './site.js';
import { translateGraph } from './translateGraph.js';

export type Instance = { entry: string; nodes: Record<string, Json> };

/** `caller`: the recipe node around it, for a manifest that another one runs. */
export function translateInstance(site: Site, place: Place, { caller }: { caller?: Json } = {}): Instance {
  const { manifest } = site;
  const isAsked = manifest.policy?.human_in_the_loop === true;
  const put = (id: string, keys: readonly string[], json: Json): Json => placed(site, { at: [...place.at, id], keys }, json);
  const graph = graphOf(site, place);
  placeSchemas(site, place);
  const asked = caller ? askedAs('approval', place.at) : approvalId(graph);
  const nodes = {
    ...(isAsked ? { [asked]: put(asked, ['policy', 'human_in_the_loop'], approval(manifest.name)) } : {}),
    open: put('open', ['state'], { ...opening(site, place), ...(caller ? { caller } : {}), next: 'topology' }),
    topology: put('topology', ['topology'], { ...graph, next: 'close' }),
    close: put('close', ['interface', 'outputs'], { ...closing(site, place), next: 'done' }),
    done: put('done', [], { action: 'end', status: 'pass' }),
  };
  return { entry: isAsked ? asked : 'open', nodes };
}

/** Schemas are told of where the author wrote them. */
function placeSchemas({ manifest, document, origins }: Site, { at }: Place): void {
  const states = [['state', 'schema'], ...(manifest.topology.state_schema ? [['topology', 'state_schema', 'schema']] : [])];
  const told: [at: readonly string[], keys: readonly string[]][] = [
    [
      ['open', 'inputs'],
      ['interface', 'inputs'],
    ],
    [
      ['close', 'outputs'],
      ['interface', 'outputs'],
    ],
    ...states.map((keys, index): [string[], string[]] => [['open', 'state', String(index)], keys]),
  ];
  for (const [inner, keys] of told) origins.put([...at, ...inner], { document, keys }, { json: {}, moved: [] });
}

/** Answers go by ids: who answers a node of the author must not have approved of the run with it. */
function approvalId(graph: Json): string {
  const taken = askedIn(graph);
  let id = 'approval';
  while (taken.has(id)) id += '-of-run';
  return id;
}

/** The ids of the nodes inside that put a question to a person. */
function askedIn({ body }: Json): Set<string> {
  const { nodes = {} } = (body ?? {}) as { nodes?: Record<string, Json> };
  const ids = Object.entries(nodes).flatMap(([id, node]) => [
    ...(node.action === 'rw.human' || node.approval === true ? [id] : []),
    ...askedIn(node),
  ]);
  return new Set(ids);
}

function graphOf(site: Site, place: Place): Json {
  const { manifest } = site;
  const inner: Place = { ...place, at: [...place.at, 'topology', 'body'], depth: place.depth + 1 };
  const { body, layers } = translateGraph(site, wholeOf(manifest.topology), inner);
  const seconds = manifest.policy?.timeout ?? 0;
  return {
    ...{ action: 'rw.dag', intent: `Run the topology of ${named(manifest)}`, ...(layers ? { layers: true } : {}) },
    ...(seconds > 0 ? { timeout_ms: Math.min(seconds * 1_000, 86_400_000) } : {}),
    body,
  };
}

function closing({ manifest }: Site, place: Place): Json {
  const intent = `Check what ${named(manifest)} promises to give`;
  return { action: 'rw.close', intent, ...selfOf(manifest.id, place), outputs: shield(manifest.interface.outputs) };
}

function named({ id }: Pick<Manifest, 'id'>): string {
  return JSON.stringify(id).replaceAll('{', '(').replaceAll('}', ')');
}

function approval(name: string): Json {
  const shown = name.replaceAll('{', '(').replaceAll('}', ')');
  return {
    action: 'manual',
    intent: 'Ask a person whether this may run',
    instruction: `May ${shown || 'this recipe'} run?`,
    next: 'open',
  };
}

function opening({ manifest }: Site, place: Place): Json {
  const { topology, state, parameters, policy } = manifest;
  const schemas = [state, topology.state_schema].flatMap((one: State | null) => (one ? [one.schema] : []));
  const isKept = state.persistence === 'persistent' || topology.state_schema?.persistence === 'persistent';
  return {
    ...{ action: 'rw.open', intent: `Open the state of ${named(manifest)}`, ...selfOf(manifest.id, place) },
    ...{ inputs: shield(withoutSecrets(manifest)), state: shield(schemas), parameters: shield(parameters) },
    ...(isKept ? { persistent: true } : {}),
    ...(policy?.max_steps && policy.max_steps > 0 ? { max_steps: policy.max_steps } : {}),
  };
}
