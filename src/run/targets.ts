// What is known of a recipe's claims and needs before it runs.
import type { Registry } from '../actions/registry.js';
import type { Loaded } from '../check/loadRecipe.js';
import type { RunLine } from '../evidence/journal.js';
import { type PlanNode, type Region, reachable } from '../graph/plan.js';

/** The claims; one is visible when a node mapped to it, itself or by the call around it, needs a page. */
export function targetsOf({ compiled, plan }: Loaded, registry: Registry): RunLine['targets'] {
  const seen = new Set<string>();
  const mapped = new Map<PlanNode, string | undefined>();
  for (const { node, around } of reachable(plan.main)) {
    const target = node.recipe.proofTarget ?? (around && mapped.get(around));
    mapped.set(node, target);
    if (target !== undefined && registry.get(node.recipe.action)?.needs?.includes('page')) seen.add(target);
  }
  return compiled.recipe.proofTargets.map((target) => ({ ...target, visible: seen.has(target.id) }));
}

/** The fixtures that the nodes which can run ask for, in a stable order. */
export function fixturesNeeded({ plan }: Loaded, registry: Registry): string[] {
  const regions: Region[] = plan.teardown ? [plan.main, plan.teardown] : [plan.main];
  const nodes = regions.flatMap((region) => [...reachable(region)]);
  const needs = nodes.flatMap(({ node }) => registry.get(node.recipe.action)?.needs ?? []);
  return [...new Set(needs)].sort();
}

/** How long the nodes may take together, as far as their authors said. */
export function declaredMs({ plan }: Loaded): number {
  const regions: Region[] = plan.teardown ? [plan.main, plan.teardown] : [plan.main];
  return regions.flatMap((region) => [...reachable(region)]).reduce((sum, { node }) => sum + (node.recipe.timeoutMs ?? 0), 0);
}
