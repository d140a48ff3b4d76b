// What the actions of a recipe have to say when its run is refused before anything of it began.

import type { LoadedRecipe } from '../check/loadRecipe.js';
import type { Finding } from '../document/finding.js';
import { reachableNodes } from '../engine/plan.js';
import type { Registry } from '../registry/registry.js';

/** By their names in the package; none when nobody has to say anything. */
export function refusedDocuments({ plan }: LoadedRecipe, registry: Registry, [why]: readonly Finding[]): Map<string, string> {
  const nodes = why ? [...reachableNodes(plan.main)] : [];
  const said = nodes.flatMap(({ node: { recipe } }) => [
    ...(registry.get(recipe.action)?.refused?.(recipe, why as Finding) ?? []),
  ]);
  return new Map(said);
}
