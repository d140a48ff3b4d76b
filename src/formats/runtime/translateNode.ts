// One node of a topology as a node of Recipe v1.
import { mostRetries, mostSeconds } from './documentRules.js';
import type { AgentNode, Council, LogicNode, Manifest, MapNode, Policy, TopologyNode } from './manifest.js';
import { type Part, processorOf, safeIds } from './parts.js';
import { secretNames, secretsIn } from './secrets.js';
import { shield } from './shield.js';
import { askedAs, hasRoom, type Json, type Place, placed, type Site, selfOf } from './site.js';
import { translateGraph } from './translateGraph.js';
import { translateSubRecipe } from './translateSubRecipe.js';
import { intentOf } from './words.js';

/** `place` is its own; `whole` is the part it stands in, with what its maps run. */
export type Told = { place: Place; index: number; layer: number; routes: readonly Json[]; whole: Part };

const longestMs = mostSeconds * 1_000;

export function translateNode(site: Site, node: TopologyNode, told: Told): Json {
  site.budget.nodes--;
  const { place, layer, routes } = told;
  const self = { intent: intentOf(node, site.manifest.name), ...selfOf(node.id, place, layer) };
  const common = routes.length > 0 ? { ...self, routes } : self;
  if (node.council_config && (node.type === 'agent' || node.type === 'logic'))
    return { action: 'rw.council', ...common, ...translateCouncil(site, { ...node, council_config: node.council_config }, told) };
  if (node.type === 'agent')
    return { action: 'rw.agent', ...common, ...agentFields(node, site.manifest), ...effort(site.manifest.policy) };
  if (node.type === 'logic')
    return { action: 'rw.logic', ...common, code: shield(node.code), ...effort(withoutPerson(site.manifest.policy)) };
  if (node.type === 'human') return { action: 'rw.human', ...common, ...patience(node.timeout_seconds) };
  if (node.type === 'recipe') return { action: 'rw.recipe', ...common, ...translateSubRecipe(site, node, told) };
  return { action: 'rw.map', ...common, ...translateMap(site, node, told) };
}

function agentFields({ agent_name, system_prompt, config, overrides }: AgentNode, manifest: Manifest): Json {
  const said = { system_prompt, config, overrides };
  const given = Object.entries(said).filter(([, value]) => value !== null);
  const secrets = secretsIn({ config, overrides }, secretNames(manifest));
  return {
    ...{ agent: shield(agent_name), ...Object.fromEntries(given.map(([key, value]) => [key, shield(value)])) },
    ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
  };
}

function patience(seconds: number | null): Json {
  return seconds === null || seconds < 1 ? {} : { timeout_ms: Math.min(seconds * 1_000, longestMs) };
}

/** How often work that failed is tried again, how long it may take, and whether a person is asked first. */
function effort(policy: Policy | null): Json {
  if (!policy) return {};
  const retries = Math.min(mostRetries, Math.max(0, policy.max_retries));
  return {
    ...(policy.human_in_the_loop ? { approval: true } : patience(policy.timeout)),
    ...(retries > 0 ? { rw: { retry: { max: retries + 1 } } } : {}),
  };
}

/** Logic has no effects of its own that a person would have to agree to. */
function withoutPerson(policy: Policy | null): Policy | null {
  return policy && { ...policy, human_in_the_loop: false };
}

function translateCouncil(site: Site, node: (AgentNode | LogicNode) & { council_config: Council }, told: Told): Json {
  const { place, layer, index } = told;
  const { strategy, voters } = node.council_config;
  const own = node.type === 'agent' ? agentFields(node, site.manifest) : {};
  const { rw, ...kept } = effort(site.manifest.policy) as { rw?: object };
  const nodes = voters.map((voter, vote) => {
    const name = `voter-${vote + 1}`;
    const id = site.manifest.policy?.human_in_the_loop ? askedAs(name, place.at) : name;
    const json = {
      action: 'rw.agent',
      intent: `Ask ${voter.replaceAll('{', '(').replaceAll('}', ')') || 'a voter without a name'} for a vote`,
      ...selfOf(node.id, place, layer),
      ...{ ...own, agent: shield(voter), vote: true, ...kept, rw: { ...rw, on_fail: 'continue' } },
    };
    const keys = ['topology', 'nodes', String(index), 'council_config', 'voters', String(vote)];
    return [id, placed(site, { at: [...place.at, 'body', 'nodes', id], keys }, json)] as const;
  });
  return { strategy: shield(strategy), body: { nodes: Object.fromEntries(nodes) } };
}

function translateMap(site: Site, node: MapNode, told: Told): Json {
  const { place, index, layer, whole } = told;
  const at = [...place.at, 'body', 'nodes'];
  const keys = ['topology', 'nodes', String(index)];
  const label = JSON.stringify(node.id).replaceAll('{', '(').replaceAll('}', ')');
  const items = {
    ...{ action: 'rw.items', intent: `Look up the items of ${label}`, ...selfOf(node.id, place, layer) },
    path: shield(node.items_path),
  };
  const nodes: Record<string, Json> = { items: placed(site, { at: [...at, 'items'], keys: [...keys, 'items_path'] }, items) };
  const child = processorFor(site, node, { ...told, whole });
  if (child) {
    const each = {
      ...{ action: 'rw.each', intent: `Run it for every item of ${label}`, limit: Math.max(1, node.concurrency_limit) },
      ...{ rw: { in: { items: { source: 'items', path: '$.items' } } }, body: { nodes: child } },
    };
    nodes.each = placed(site, { at: [...at, 'each'], keys }, each);
  }
  return { body: { nodes } };
}

/** The one node that runs for each item: the processor, or a graph that begins with it. */
function processorFor(site: Site, node: MapNode, { place, index, whole }: Told): Record<string, Json> | undefined {
  const part = processorOf(node, whole);
  const [only] = part.nodes.values();
  if (!only || place.maps.includes(node.id) || node.processor_node_id === node.id) {
    if (whole.nodes.has(node.processor_node_id)) reportMapCycle(site, node, { place, index });
    return undefined;
  }
  if (!hasRoom(site, place.maps, ['topology', 'nodes', String(index), 'processor_node_id'])) return undefined;
  const at = [...place.at, 'body', 'nodes', 'each', 'body', 'nodes'];
  const id = part.nodes.size === 1 ? (safeIds([only.node.id]).get(only.node.id) ?? 'item') : 'graph';
  const depth = place.depth + 2;
  const inner: Place = { at: [...at, id], depth, level: place.level, item: depth, maps: [...place.maps, node.id] };
  const keys = ['topology', 'nodes', String(only.index)];
  if (part.nodes.size === 1) {
    const told = { place: inner, index: only.index, layer: 0, routes: [], whole: around(part, whole) };
    return { [id]: placed(site, { at: inner.at, keys }, translateNode(site, only.node, told)) };
  }
  const { body, layers } = translateGraph(site, part, { ...inner, at: [...inner.at, 'body'] });
  const intent = `Run the graph of ${JSON.stringify(node.processor_node_id).replaceAll('{', '(').replaceAll('}', ')')} for one item`;
  return { [id]: placed(site, { at: inner.at, keys }, { action: 'rw.dag', intent, ...(layers ? { layers: true } : {}), body }) };
}

/** A map that runs a single map needs to find what that one runs. */
function around(part: Part, whole: Part): Part {
  return [...part.nodes.values()].some(({ node }) => node.type === 'map') ? whole : part;
}

function reportMapCycle({ report }: Site, node: MapNode, { place, index }: Pick<Told, 'place' | 'index'>): void {
  const way = [...place.maps, node.id, node.processor_node_id];
  const message = `The maps run each other without end: ${way.join(' → ')}.`;
  const at = ['topology', 'nodes', String(index), 'processor_node_id'];
  report.block({ code: 'runtime.map_cycle', at, message, hint: 'Name another node to run for each item.' });
}
