// The recipe that is being translated, and the recipes it calls.
import type { AuthoredRecipe } from './callTree.js';
import type { AuthoredPart, MovedPart } from './origins.js';

export type TranslationContext = {
  recipe: AuthoredRecipe;
  /** Params of the root recipe become inputs of the classic recipe. Params of a called recipe stay params of its flow. */
  params: 'inputs' | 'params';
  called: ReadonlyMap<string, AuthoredRecipe>;
};

export type Json = Record<string, unknown>;

/** Returns the JSON Schemas of the params, by name. */
export function readParams({ json }: AuthoredRecipe): Map<string, Json> {
  return new Map(Object.entries(json.paramsSchema?.properties ?? {}));
}

/** Returns undefined for a node that calls no recipe. */
export function findCallee({ recipe, called }: TranslationContext, id: string): AuthoredRecipe | undefined {
  const node = recipe.graph.nodes.get(id);
  return node?.action === 'call' ? called.get(String(node.ref)) : undefined;
}

export function getNodeSource({ recipe }: TranslationContext, id: string, ...keys: string[]): AuthoredPart {
  return { document: recipe.document, keys: ['workflow', 'nodes', id, ...keys] };
}

/** A node during its translation. `rw` holds the extensions to Recipe v1. */
export type NodeDraft = { json: Json; rw: Json; moved: MovedPart[] };
