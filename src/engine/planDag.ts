// Edges into a region, with the ones that close a loop told apart.
import type { Dag, Edge, Nodes } from './plan.js';

/** `layers`: the layer of each node, for a graph that runs layer by layer. */
export function planDag(nodes: Nodes, given: readonly Omit<Edge, 'back'>[], layers?: ReadonlyMap<string, number>): Dag {
  const edges: Edge[] = given.map((edge) => ({ ...edge, back: false }));
  const out = groupBy(edges, 'from');
  const into = groupBy(edges, 'to');
  markBackEdges(nodes, into, out);
  return { kind: 'dag', nodes, into, out, ...(layers ? { layers: { of: layers, ids: idsIn(layers) } } : {}) };
}

function idsIn(layers: ReadonlyMap<string, number>): string[][] {
  const ids: string[][] = [];
  for (const [id, layer] of layers) {
    ids[layer] ??= [];
    ids[layer].push(id);
  }
  return ids;
}

function groupBy(edges: readonly Edge[], end: 'from' | 'to'): Map<string, Edge[]> {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const others = groups.get(edge[end]);
    if (others) others.push(edge);
    else groups.set(edge[end], [edge]);
  }
  return groups;
}

// Depth first from the nodes nothing leads to, then from what is left: an edge to a node still open closes a loop.
function markBackEdges(nodes: Nodes, into: Map<string, Edge[]>, out: Map<string, Edge[]>): void {
  const seen = new Map<string, 'open' | 'closed'>();
  const roots = [...nodes.keys()].filter((id) => !into.has(id));
  for (const root of [...roots, ...nodes.keys()]) {
    if (seen.has(root)) continue;
    seen.set(root, 'open');
    const stack = [{ id: root, edge: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const edge = out.get(top.id)?.[top.edge++];
      if (!edge) {
        seen.set(top.id, 'closed');
        stack.pop();
      } else if (seen.get(edge.to) === 'open') edge.back = true;
      else if (!seen.has(edge.to)) {
        seen.set(edge.to, 'open');
        stack.push({ id: edge.to, edge: 0 });
      }
    }
  }
}
