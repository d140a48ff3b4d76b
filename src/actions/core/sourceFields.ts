// How a node names the former node whose output it reads.
import * as z from 'zod';
import type { RecipeNode } from '../../recipe/recipe.js';

export const sourceFields = {
  source: z.string().min(1).optional().describe('The node whose output is looked at.'),
  node: z.string().min(1).optional().describe('The same as source.'),
};

function sourceOf({ fields }: Pick<RecipeNode, 'fields'>): string | undefined {
  const source = fields.source ?? fields.node;
  return typeof source === 'string' ? source : undefined;
}

export function describeMissingSource(node: Pick<RecipeNode, 'fields'>): string | undefined {
  return sourceOf(node) === undefined ? '"source", the node it looks at' : undefined;
}
