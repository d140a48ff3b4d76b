// The recipe that is being translated, and what its nodes may name.
import type { Authored } from './callTree.js';
import type { Source } from './origins.js';

export type Site = {
  authored: Authored;
  /** The params of the recipe that runs are inputs in the classic one; those of a called recipe stay params, of its flow. */
  params: 'inputs' | 'params';
  called: ReadonlyMap<string, Authored>;
};

export type Json = Record<string, unknown>;

/** The param's own JSON Schema, by its name. */
export function paramsOf({ json }: Authored): Map<string, Json> {
  return new Map(Object.entries(json.paramsSchema?.properties ?? {}));
}

/** The recipe that a node calls. */
export function calleeOf({ authored, called }: Site, id: string): Authored | undefined {
  const node = authored.graph.nodes.get(id);
  return node?.action === 'call' ? called.get(String(node.ref)) : undefined;
}

export function sourceOf({ authored }: Site, id: string, ...keys: string[]): Source {
  return { document: authored.document, keys: ['workflow', 'nodes', id, ...keys] };
}
