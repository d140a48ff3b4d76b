// Translates a manifest into nodes of Recipe v1: open its state, run its topology, check its outputs.

import { findLoop, layersOf } from '../../actions/flow/layers.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import type { BodyJson } from '../classic/model.js';
import { checkIntegrity, checkManifest, maxRetries, maxSeconds, reportErrors, reportLeniency } from './checkManifest.js';
import { manifestPrefix } from './chooseManifest.js';
import { escapeBraces } from './escapeBraces.js';
import { FindingReport } from './findingReport.js';
import { verifyIntegrity } from './integrityHash.js';
import {
  type AgentNode,
  type Council,
  isConditional,
  type LogicNode,
  type Manifest,
  type ManifestState,
  type MapNode,
  type Policy,
  type SubRecipeNode,
  type TopologyEdge,
  type TopologyNode,
} from './manifest.js';
import { readManifest } from './readManifest.js';
import { referencedSecrets, secretNames, withoutSecretInputs } from './secretInputs.js';
import { describeEdge, replaceBraces, stepIntent } from './stepIntent.js';
import {
  edgeTargets,
  findLeavingEdges,
  groupEdgesBySource,
  mapProcessor,
  partLinks,
  safeIds,
  type TopologyPart,
  wholeTopology,
  withoutProcessors,
} from './topologyPart.js';
import {
  type GraphPosition,
  hasRoom,
  type Json,
  nodeIdentity,
  questionId,
  recordOrigin,
  type TranslationContext,
} from './translationContext.js';

type TranslatedManifest = { entry: string; nodes: Record<string, Json> };

/** `caller`: the recipe node that runs this manifest. */
export function translateManifest(
  context: TranslationContext,
  place: GraphPosition,
  { caller }: { caller?: Json } = {},
): TranslatedManifest {
  const { manifest } = context;
  const needsApproval = manifest.policy?.human_in_the_loop === true;
  const record = (id: string, keys: readonly string[], json: Json): Json =>
    recordOrigin(context, { at: [...place.at, id], keys }, json);
  const graph = topologyNode(context, place);
  recordSchemaOrigins(context, place);
  const approvalNodeId = caller ? questionId('approval', place.at) : chooseApprovalId(graph);
  const nodes = {
    ...(needsApproval
      ? { [approvalNodeId]: record(approvalNodeId, ['policy', 'human_in_the_loop'], approvalNode(manifest.name)) }
      : {}),
    open: record('open', ['state'], { ...openNode(context, place), ...(caller ? { caller } : {}), next: 'topology' }),
    topology: record('topology', ['topology'], { ...graph, next: 'close' }),
    close: record('close', ['interface', 'outputs'], { ...closeNode(context, place), next: 'done' }),
    done: record('done', [], { action: 'end', status: 'pass' }),
  };
  return { entry: needsApproval ? approvalNodeId : 'open', nodes };
}

/** Records where the schemas were written, so that findings about them have their authored positions. */
function recordSchemaOrigins({ manifest, document, origins }: TranslationContext, { at }: GraphPosition): void {
  const states = [['state', 'schema'], ...(manifest.topology.state_schema ? [['topology', 'state_schema', 'schema']] : [])];
  const places: [at: readonly string[], keys: readonly string[]][] = [
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
  for (const [inner, keys] of places) origins.recordSource([...at, ...inner], { document, keys }, { json: {}, moved: [] });
}

/** Chooses an id that no question of the author has. Answers refer to ids, so an answer to a node must not approve the run. */
function chooseApprovalId(graph: Json): string {
  const usedIds = findQuestionIds(graph);
  let id = 'approval';
  while (usedIds.has(id)) id += '-of-run';
  return id;
}

/** Returns the ids of all nodes in the graph that ask a person. */
function findQuestionIds({ body }: Json): Set<string> {
  const { nodes = {} } = (body ?? {}) as { nodes?: Record<string, Json> };
  const ids = Object.entries(nodes).flatMap(([id, node]) => [
    ...(node.action === 'rw.human' || node.approval === true ? [id] : []),
    ...findQuestionIds(node),
  ]);
  return new Set(ids);
}

function topologyNode(context: TranslationContext, place: GraphPosition): Json {
  const { manifest } = context;
  const inner: GraphPosition = { ...place, at: [...place.at, 'topology', 'body'], depth: place.depth + 1 };
  const { body, layers } = translateGraph(context, wholeTopology(manifest.topology), inner);
  const seconds = manifest.policy?.timeout ?? 0;
  return {
    action: 'rw.dag',
    intent: `Run the topology of ${printId(manifest)}`,
    ...(layers ? { layers: true } : {}),
    ...(seconds > 0 ? { timeout_ms: Math.min(seconds * 1_000, 86_400_000) } : {}),
    body,
  };
}

function closeNode({ manifest }: TranslationContext, place: GraphPosition): Json {
  const intent = `Check the outputs of ${printId(manifest)}`;
  return { action: 'rw.close', intent, ...nodeIdentity(manifest.id, place), outputs: escapeBraces(manifest.interface.outputs) };
}

function printId({ id }: Pick<Manifest, 'id'>): string {
  return replaceBraces(JSON.stringify(id));
}

function approvalNode(name: string): Json {
  return {
    action: 'manual',
    intent: 'Ask a person whether this may run',
    instruction: `May ${replaceBraces(name) || 'this recipe'} run?`,
    next: 'open',
  };
}

function openNode({ manifest }: TranslationContext, place: GraphPosition): Json {
  const { topology, state, parameters, policy } = manifest;
  const states: (ManifestState | null)[] = [state, topology.state_schema];
  const schemas = states.flatMap((definition) => (definition ? [definition.schema] : []));
  const isPersistent = state.persistence === 'persistent' || topology.state_schema?.persistence === 'persistent';
  return {
    action: 'rw.open',
    intent: `Open the state of ${printId(manifest)}`,
    ...nodeIdentity(manifest.id, place),
    inputs: escapeBraces(withoutSecretInputs(manifest)),
    state: escapeBraces(schemas),
    parameters: escapeBraces(parameters),
    ...(isPersistent ? { persistent: true } : {}),
    ...(policy?.max_steps && policy.max_steps > 0 ? { max_steps: policy.max_steps } : {}),
  };
}

type TranslatedGraph = { body: BodyJson; layers: boolean };

/** Translates a part of a topology into the body of an rw.dag. */
function translateGraph(context: TranslationContext, whole: TopologyPart, place: GraphPosition): TranslatedGraph {
  const part = withoutProcessors(whole);
  checkLeavingEdges(context, whole);
  const ids = safeIds(part.nodes.keys());
  const links = partLinks(part).filter(({ to }) => part.nodes.has(to));
  const { layerOf: layers, hasLoop } = layersOf([...part.nodes.keys()], links);
  if (hasLoop) checkLoops(context, part);
  const outgoing = groupEdgesBySource(part);
  const edges: Json[] = [];
  const nodes: Record<string, Json> = {};
  const at = [...place.at, 'nodes'];
  for (const [id, { node, index }] of part.nodes) {
    const safeId = ids.get(id) ?? id;
    const outgoingEdges = outgoing.get(id) ?? [];
    const routedEdges = outgoingEdges.filter(([, edge]) => isRouted(edge));
    for (const [edgeIndex, edge] of outgoingEdges) {
      const route = routedEdges.findIndex(([routedIndex]) => routedIndex === edgeIndex);
      for (const json of translateEdge(edge, { ids, from: safeId, route })) {
        const keys = ['topology', 'edges', String(edgeIndex)];
        edges.push(recordOrigin(context, { at: [...place.at, 'edges', String(edges.length)], keys }, json));
      }
    }
    const json = translateNode(context, node, {
      place: { ...place, at: [...at, safeId], depth: place.depth + 1 },
      index,
      layer: layers.get(id) ?? 0,
      routes: routedEdges.map(([, edge]) => translateRoute(edge, ids)),
      whole,
    });
    nodes[safeId] = recordOrigin(context, { at: [...at, safeId], keys: ['topology', 'nodes', String(index)] }, json);
  }
  return { body: { nodes, edges } as unknown as BodyJson, layers: !hasLoop };
}

function isRouted(edge: TopologyEdge): boolean {
  return isConditional(edge) || (edge.condition ?? '') !== '';
}

type SafeIds = ReadonlyMap<string, string>;

// Maps to safe ids, because targets become values of the run.
function translateRoute(edge: TopologyEdge, ids: SafeIds): Json {
  if (!isConditional(edge)) return { condition: escapeBraces(edge.condition) };
  const mapping = Object.entries(edge.mapping).map(([key, target]) => [escapeBraces(key), ids.get(target) ?? '']);
  return { router: escapeBraces(edge.router_logic), mapping: Object.fromEntries(mapping) };
}

/** `route`: the index among the routes of the node, -1 for an edge that always fires. */
type EdgeSource = { ids: SafeIds; from: string; route: number };

function translateEdge(edge: TopologyEdge, { ids, from, route }: EdgeSource): Json[] {
  const field = isConditional(edge) ? 'target' : 'fires';
  return edgeTargets(edge).flatMap((target): Json[] => {
    const to = ids.get(target);
    if (to === undefined) return [];
    if (route === -1) return [{ from, to }];
    const when = { source: from, path: `$.routes[${route}].${field}`, operator: 'eq', value: isConditional(edge) ? to : true };
    return [{ from, to, when, ...omitUndefined({ intent: describeEdge(edge, target) }) }];
  });
}

// After a map, nodes run once for all items. An edge without a condition can start there, but a condition on one item cannot.
function checkLeavingEdges({ report }: TranslationContext, whole: TopologyPart): void {
  for (const { index, edge, map, isSplit } of findLeavingEdges(whole)) {
    const at = ['topology', 'edges', String(index)];
    const [from, owner] = [JSON.stringify(edge.source_node_id), JSON.stringify(map)];
    if (!isRouted(edge) && !isSplit) {
      const message = `${from} runs for each item of the map ${owner}, but this edge leaves the map, so its target runs once, after the map.`;
      report.note({ code: 'runtime.edge_after_map', at, message, hint: `Start the edge at ${owner}.` });
      continue;
    }
    const message = `${from} runs for each item of the map ${owner}, but this edge leaves the map by a condition on one item, while its target runs once for all items.`;
    const hint = `Start the edge at ${owner}, with a condition on the list that the map returns.`;
    report.block({ code: 'runtime.item_edge', at, message, hint });
  }
}

// A loop of edges that always fire never ends before a limit stops the run.
function checkLoops({ report }: TranslationContext, part: TopologyPart): void {
  const unconditionalEdges = [...part.edges.values()].filter((edge) => !isRouted(edge));
  const links = unconditionalEdges.flatMap((edge) => edgeTargets(edge).map((to) => ({ from: edge.source_node_id, to })));
  const loop = findLoop([...part.nodes.keys()], links);
  if (!loop) return;
  const index = [...part.edges].find(
    ([, edge]) => edge.source_node_id === loop[0] && edgeTargets(edge).includes(loop[1] ?? ''),
  )?.[0];
  const message = `These nodes form an endless loop, because no edge between them has a condition: ${loop.join(' → ')}.`;
  const at = ['topology', 'edges', String(index ?? 0)];
  report.block({ code: 'runtime.endless_loop', at, message, hint: 'Add a condition or a router to one of the edges.' });
}

/** `place`: the position of the node itself. `whole`: the part with the node, including the nodes that its maps run. */
type NodePlacement = { place: GraphPosition; index: number; layer: number; routes: readonly Json[]; whole: TopologyPart };

const maxTimeoutMs = maxSeconds * 1_000;

function translateNode(context: TranslationContext, node: TopologyNode, placement: NodePlacement): Json {
  context.budget.nodes--;
  const { place, layer, routes } = placement;
  const common = {
    intent: stepIntent(node, context.manifest.name),
    ...nodeIdentity(node.id, place, layer),
    ...(routes.length > 0 ? { routes } : {}),
  };
  if (node.council_config && (node.type === 'agent' || node.type === 'logic'))
    return {
      action: 'rw.council',
      ...common,
      ...translateCouncil(context, { ...node, council_config: node.council_config }, placement),
    };
  if (node.type === 'agent')
    return { action: 'rw.agent', ...common, ...agentFields(node, context.manifest), ...policyFields(context.manifest.policy) };
  if (node.type === 'logic')
    return {
      action: 'rw.logic',
      ...common,
      code: escapeBraces(node.code),
      ...policyFields(withoutApproval(context.manifest.policy)),
    };
  if (node.type === 'human') return { action: 'rw.human', ...common, ...timeoutFields(node.timeout_seconds) };
  if (node.type === 'recipe') return { action: 'rw.recipe', ...common, ...translateSubRecipe(context, node, placement) };
  return { action: 'rw.map', ...common, ...translateMap(context, node, placement) };
}

function agentFields({ agent_name, system_prompt, config, overrides }: AgentNode, manifest: Manifest): Json {
  const optionalFields = { system_prompt, config, overrides };
  const presentFields = Object.entries(optionalFields).filter(([, value]) => value !== null);
  const secrets = referencedSecrets({ config, overrides }, secretNames(manifest));
  return {
    agent: escapeBraces(agent_name),
    ...Object.fromEntries(presentFields.map(([key, value]) => [key, escapeBraces(value)])),
    ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
  };
}

function timeoutFields(seconds: number | null): Json {
  return seconds === null || seconds < 1 ? {} : { timeout_ms: Math.min(seconds * 1_000, maxTimeoutMs) };
}

/** Retries, timeout, and whether a person must approve first. */
function policyFields(policy: Policy | null): Json {
  if (!policy) return {};
  const retries = Math.min(maxRetries, Math.max(0, policy.max_retries));
  return {
    ...(policy.human_in_the_loop ? { approval: true } : timeoutFields(policy.timeout)),
    ...(retries > 0 ? { rw: { retry: { max: retries + 1 } } } : {}),
  };
}

/** Removes the approval for logic, which has no effects that need one. */
function withoutApproval(policy: Policy | null): Policy | null {
  return policy && { ...policy, human_in_the_loop: false };
}

function translateCouncil(
  context: TranslationContext,
  node: (AgentNode | LogicNode) & { council_config: Council },
  placement: NodePlacement,
): Json {
  const { place, layer, index } = placement;
  const { strategy, voters } = node.council_config;
  const nodeFields = node.type === 'agent' ? agentFields(node, context.manifest) : {};
  const { rw, ...policy } = policyFields(context.manifest.policy) as { rw?: object };
  const nodes = voters.map((voter, voterIndex) => {
    const name = `voter-${voterIndex + 1}`;
    const id = context.manifest.policy?.human_in_the_loop ? questionId(name, place.at) : name;
    const json = {
      action: 'rw.agent',
      intent: `Ask ${replaceBraces(voter) || 'a voter without a name'} for a vote`,
      ...nodeIdentity(node.id, place, layer),
      ...nodeFields,
      agent: escapeBraces(voter),
      vote: true,
      ...policy,
      rw: { ...rw, on_fail: 'continue' },
    };
    const keys = ['topology', 'nodes', String(index), 'council_config', 'voters', String(voterIndex)];
    return [id, recordOrigin(context, { at: [...place.at, 'body', 'nodes', id], keys }, json)] as const;
  });
  return { strategy: escapeBraces(strategy), body: { nodes: Object.fromEntries(nodes) } };
}

function translateMap(context: TranslationContext, node: MapNode, placement: NodePlacement): Json {
  const { place, index, layer, whole } = placement;
  const at = [...place.at, 'body', 'nodes'];
  const keys = ['topology', 'nodes', String(index)];
  const items = {
    action: 'rw.items',
    intent: `Look up the items of ${printId(node)}`,
    ...nodeIdentity(node.id, place, layer),
    path: escapeBraces(node.items_path),
  };
  const nodes: Record<string, Json> = {
    items: recordOrigin(context, { at: [...at, 'items'], keys: [...keys, 'items_path'] }, items),
  };
  const child = translateProcessor(context, node, { ...placement, whole });
  if (child) {
    const each = {
      action: 'rw.each',
      intent: `Run for each item of ${printId(node)}`,
      limit: Math.max(1, node.concurrency_limit),
      rw: { in: { items: { source: 'items', path: '$.items' } } },
      body: { nodes: child },
    };
    nodes.each = recordOrigin(context, { at: [...at, 'each'], keys }, each);
  }
  return { body: { nodes } };
}

/** Translates the node that runs for each item: the processor, or a graph that begins with it. */
function translateProcessor(
  context: TranslationContext,
  node: MapNode,
  { place, index, whole }: NodePlacement,
): Record<string, Json> | undefined {
  const part = mapProcessor(node, whole);
  const [only] = part.nodes.values();
  if (!only || place.maps.includes(node.id) || node.processor_node_id === node.id) {
    if (whole.nodes.has(node.processor_node_id)) reportMapCycle(context, node, { place, index });
    return undefined;
  }
  if (!hasRoom(context, place.maps, ['topology', 'nodes', String(index), 'processor_node_id'])) return undefined;
  const at = [...place.at, 'body', 'nodes', 'each', 'body', 'nodes'];
  const id = part.nodes.size === 1 ? (safeIds([only.node.id]).get(only.node.id) ?? 'item') : 'graph';
  const depth = place.depth + 2;
  const inner: GraphPosition = { at: [...at, id], depth, level: place.level, item: depth, maps: [...place.maps, node.id] };
  const keys = ['topology', 'nodes', String(only.index)];
  if (part.nodes.size === 1) {
    const placement = { place: inner, index: only.index, layer: 0, routes: [], whole: partForNestedMaps(part, whole) };
    return { [id]: recordOrigin(context, { at: inner.at, keys }, translateNode(context, only.node, placement)) };
  }
  const { body, layers } = translateGraph(context, part, { ...inner, at: [...inner.at, 'body'] });
  const intent = `Run the graph of ${printId({ id: node.processor_node_id })} for one item`;
  return {
    [id]: recordOrigin(context, { at: inner.at, keys }, { action: 'rw.dag', intent, ...(layers ? { layers: true } : {}), body }),
  };
}

/** Returns the whole part when the part contains a map, because that map needs its own nodes. */
function partForNestedMaps(part: TopologyPart, whole: TopologyPart): TopologyPart {
  return [...part.nodes.values()].some(({ node }) => node.type === 'map') ? whole : part;
}

function reportMapCycle(
  { report }: TranslationContext,
  node: MapNode,
  { place, index }: Pick<NodePlacement, 'place' | 'index'>,
): void {
  const cycle = [...place.maps, node.id, node.processor_node_id];
  const message = `The maps run each other in a cycle: ${cycle.join(' → ')}.`;
  const at = ['topology', 'nodes', String(index), 'processor_node_id'];
  report.block({ code: 'runtime.map_cycle', at, message, hint: 'Set another node to run for each item.' });
}

/** Translates the sub-recipe into the body of the node. */
function translateSubRecipe(context: TranslationContext, node: SubRecipeNode, { place, index, layer }: NodePlacement): Json {
  const at = ['topology', 'nodes', String(index), 'recipe_id'];
  const child = findChild(context, node, at);
  const fields = { recipe: escapeBraces(node.recipe_id), output_mapping: escapeBraces(node.output_mapping) };
  if (!child) return { ...fields, body: { entry: 'done', nodes: { done: { action: 'end', status: 'fail' } } } };
  const inner: GraphPosition = { at: [...place.at, 'body', 'nodes'], depth: place.depth, level: place.depth, maps: [] };
  const caller = { ...nodeIdentity(node.id, place, layer), input_mapping: escapeBraces(node.input_mapping) };
  const { entry, nodes } = translateManifest(child, inner, { caller });
  context.report.findings.push(...child.report.findings);
  for (const { message } of child.report.blockers)
    context.report.blockers.push({ at, message: `In the recipe ${JSON.stringify(node.recipe_id)}: ${message}` });
  return { ...fields, body: { entry, nodes } };
}

function findChild(
  context: TranslationContext,
  { recipe_id: id }: SubRecipeNode,
  at: readonly string[],
): TranslationContext | undefined {
  const { report, resolve, document, stack } = context;
  const refuse = (code: string, message: string, hint: string): undefined => report.block({ code, at, message, hint });
  if (stack.includes(id)) {
    const cycle = [...stack, id].join(' → ');
    return refuse(
      'runtime.recipe_cycle',
      `The recipes run each other in a cycle: ${cycle}.`,
      'Remove one of these recipe nodes.',
    );
  }
  if (!hasRoom(context, stack, at)) return undefined;
  const hint = 'Add a manifest with this "id" to the runtime recipes of the project.';
  const resolved = resolve(`${manifestPrefix}${id}`, document.file);
  const name = JSON.stringify(id);
  if (!resolved.document)
    return refuse('runtime.unknown_recipe', `The recipe ${name} was not found: ${resolved.problem ?? 'it is empty.'}`, hint);
  const child = readChild({ ...context, document: resolved.document, stack: [...stack, id] });
  if ('manifest' in child) return child;
  return refuse('runtime.unknown_recipe', `The recipe ${name} is not a valid manifest: ${child.problem}`, hint);
}

/** Blocks secret inputs of a sub-recipe: a caller passes only values of its run, and secrets are not among them. */
function refuseSecretInputs(report: FindingReport, manifest: Manifest): void {
  for (const name of secretNames(manifest)) {
    const message = `The input ${JSON.stringify(name)} is a secret, which is only passed to the outermost manifest.`;
    const at = ['interface', 'inputs', 'properties', name];
    report.block({
      code: 'runtime.misplaced_secret',
      at,
      message,
      hint: 'Move the work that needs the secret to an agent of the outermost manifest.',
    });
  }
}

function readChild(context: TranslationContext): TranslationContext | { problem: string } {
  const report = new FindingReport(context.document, context.report.level);
  const { manifest, withNumerals, authoredTopology, lenient, errors } = readManifest(context.document.text);
  reportErrors(report, errors);
  if (!manifest || !withNumerals) return { problem: report.findings[0]?.message ?? 'it cannot be read.' };
  reportLeniency(report, lenient);
  checkManifest(report, manifest);
  checkIntegrity(report, verifyIntegrity({ manifest, withNumerals, authoredTopology }));
  refuseSecretInputs(report, manifest);
  return { ...context, manifest, report };
}
