// Every edge leads from a node to a node. The reference tells of the first that does not.
import type { Topology } from './manifest.js';

export function danglingEdge(topology: unknown): { keys: readonly string[]; msg: string } | undefined {
  const { nodes, edges } = topology as Topology;
  const ids = new Set(nodes.map(({ id }) => id));
  for (const [index, edge] of edges.entries()) {
    const at = (...rest: string[]): string[] => ['topology', 'edges', String(index), ...rest];
    if (!ids.has(edge.source_node_id))
      return { keys: at('source_node_id'), msg: `Edge source node '${edge.source_node_id}' not found in nodes.` };
    if ('target_node_id' in edge) {
      if (ids.has(edge.target_node_id)) continue;
      return { keys: at('target_node_id'), msg: `Edge target node '${edge.target_node_id}' not found in nodes.` };
    }
    const lost = Object.entries(edge.mapping).find(([, target]) => !ids.has(target));
    if (lost) return { keys: at('mapping', lost[0]), msg: `ConditionalEdge target node '${lost[1]}' not found in nodes.` };
  }
  return undefined;
}
