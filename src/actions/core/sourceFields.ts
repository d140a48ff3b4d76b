// The fields with which a node names the earlier node whose output it reads.
import * as z from 'zod';
import type { RecipeNode } from '../../recipe/recipe.js';

export const sourceFields = {
  source: z.string().min(1).optional().describe('The id of the node whose output is read.'),
  node: z.string().min(1).optional().describe('The same as source.'),
};

function sourceOf({ fields }: Pick<RecipeNode, 'fields'>): string | undefined {
  const source = fields.source ?? fields.node;
  return typeof source === 'string' ? source : undefined;
}

export function describeMissingSource(node: Pick<RecipeNode, 'fields'>): string | undefined {
  return sourceOf(node) === undefined ? '"source", the id of an earlier node' : undefined;
}
