// The recipe that is being translated, and what its nodes may name.
import type { AuthoredRecipe } from './callTree.js';
import type { AuthoredPart, MovedPart } from './origins.js';

export type TranslationContext = {
  recipe: AuthoredRecipe;
  /** The params of the recipe that runs are inputs in the classic one; those of a called recipe stay params, of its flow. */
  params: 'inputs' | 'params';
  called: ReadonlyMap<string, AuthoredRecipe>;
};

export type Json = Record<string, unknown>;

/** The param's own JSON Schema, by its name. */
export function readParams({ json }: AuthoredRecipe): Map<string, Json> {
  return new Map(Object.entries(json.paramsSchema?.properties ?? {}));
}

/** The recipe that a node calls. */
export function findCallee({ recipe, called }: TranslationContext, id: string): AuthoredRecipe | undefined {
  const node = recipe.graph.nodes.get(id);
  return node?.action === 'call' ? called.get(String(node.ref)) : undefined;
}

export function getNodeSource({ recipe }: TranslationContext, id: string, ...keys: string[]): AuthoredPart {
  return { document: recipe.document, keys: ['workflow', 'nodes', id, ...keys] };
}
/** A node in the making; `rw` is what Recipe v1 lacks. */

export type NodeDraft = { json: Json; rw: Json; moved: MovedPart[] };
