// A part of a topology as the body of an rw.dag: nodes, edges, and what decides about each edge.

import { layersOf, loopIn } from '../../actions/flow/layers.js';
import { present } from '../../document/present.js';
import type { BodyJson } from '../classic/model.js';
import { isConditional, type TopologyEdge } from './manifest.js';
import { edgesFrom, leavingEdges, linksOf, type Part, safeIds, targetsOf, withoutProcessors } from './parts.js';
import { shield } from './shield.js';
import { type Json, type Place, placed, type Site } from './site.js';
import { translateNode } from './translateNode.js';
import { edgeInWords } from './words.js';

export type Graph = { body: BodyJson; layers: boolean };

export function translateGraph(site: Site, whole: Part, place: Place): Graph {
  const part = withoutProcessors(whole);
  checkLeaving(site, whole);
  const ids = safeIds(part.nodes.keys());
  const links = linksOf(part).filter(({ to }) => part.nodes.has(to));
  const { of: layers, hasLoop } = layersOf([...part.nodes.keys()], links);
  if (hasLoop) checkLoops(site, part);
  const leaving = edgesFrom(part);
  const edges: Json[] = [];
  const nodes: Record<string, Json> = {};
  const at = [...place.at, 'nodes'];
  for (const [id, { node, index }] of part.nodes) {
    const safe = ids.get(id) ?? id;
    const out = leaving.get(id) ?? [];
    const routes = out.filter(([, edge]) => isRouted(edge));
    for (const [number, edge] of out) {
      for (const json of edgesFor(edge, { ids, from: safe, route: routes.findIndex(([routed]) => routed === number) })) {
        const keys = ['topology', 'edges', String(number)];
        edges.push(placed(site, { at: [...place.at, 'edges', String(edges.length)], keys }, json));
      }
    }
    const inner = { ...place, at: [...at, safe], depth: place.depth + 1 };
    const told = { index, layer: layers.get(id) ?? 0, routes: routes.map(([, edge]) => routeOf(edge, ids)), whole };
    const json = translateNode(site, node, { place: inner, ...told });
    nodes[safe] = placed(site, { at: [...at, safe], keys: ['topology', 'nodes', String(index)] }, json);
  }
  return { body: { nodes, edges } as unknown as BodyJson, layers: !hasLoop };
}

function isRouted(edge: TopologyEdge): boolean {
  return isConditional(edge) || (edge.condition ?? '') !== '';
}

type Ids = ReadonlyMap<string, string>;

// What a router says is a value, and a value is only ever a safe id here.
function routeOf(edge: TopologyEdge, ids: Ids): Json {
  if (!isConditional(edge)) return { condition: shield(edge.condition) };
  const mapping = Object.entries(edge.mapping).map(([key, target]) => [shield(key), ids.get(target) ?? '']);
  return { router: shield(edge.router_logic), mapping: Object.fromEntries(mapping) };
}

type From = { ids: Ids; from: string; route: number };

function edgesFor(edge: TopologyEdge, { ids, from, route }: From): Json[] {
  const asked = isConditional(edge) ? 'target' : 'fires';
  return targetsOf(edge).flatMap((target): Json[] => {
    const to = ids.get(target);
    if (to === undefined) return [];
    if (route === -1) return [{ from, to }];
    const when = { source: from, path: `$.routes[${route}].${asked}`, operator: 'eq', value: isConditional(edge) ? to : true };
    return [{ from, to, when, ...present({ intent: edgeInWords(edge, target) }) }];
  });
}

// Behind a map there is one run for all items: an edge without a condition can wait for that, but one that asks about an item cannot.
function checkLeaving({ report }: Site, whole: Part): void {
  for (const { index, edge, map, isSplit } of leavingEdges(whole)) {
    const at = ['topology', 'edges', String(index)];
    const [from, owner] = [JSON.stringify(edge.source_node_id), JSON.stringify(map)];
    if (!isRouted(edge) && !isSplit) {
      const message = `${from} runs for each item of the map ${owner}, and this edge leads out of it: where it leads runs once, after the map.`;
      report.note({ code: 'runtime.edge_after_map', at, message, hint: `Let the edge begin at ${owner}.` });
      continue;
    }
    const message = `${from} runs for each item of the map ${owner}, and this edge asks about one item to lead out of it, where there is one run for all.`;
    const hint = `Let an edge from ${owner} ask about the list that the map gives.`;
    report.block({ code: 'runtime.item_edge', at, message, hint });
  }
}

// A loop whose every edge fires always has no end but a limit.
function checkLoops({ report }: Site, part: Part): void {
  const always = [...part.edges.values()].filter((edge) => !isRouted(edge));
  const links = always.flatMap((edge) => targetsOf(edge).map((to) => ({ from: edge.source_node_id, to })));
  const loop = loopIn([...part.nodes.keys()], links);
  if (!loop) return;
  const index = [...part.edges].find(
    ([, edge]) => edge.source_node_id === loop[0] && targetsOf(edge).includes(loop[1] ?? ''),
  )?.[0];
  const message = `These nodes lead to each other without end, since no edge between them has a condition: ${loop.join(' → ')}.`;
  const at = ['topology', 'edges', String(index ?? 0)];
  report.block({ code: 'runtime.endless_loop', at, message, hint: 'Give one of the edges a condition, or a router.' });
}
