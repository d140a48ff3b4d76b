// Finds the proof targets that each node serves: its own, and those of the calls that run it.

import { needsOf } from '../../actions/action.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import type { RuleContext, ServedTargets } from '../ruleContext.js';

export function findServedTargets(context: RuleContext): ServedTargets {
  if (context.servedTargets) return context.servedTargets;
  const served = new Map<RecipeNode, ReadonlySet<string>>();
  // Most nodes serve a single target. Nodes with the same target share one set, to save memory.
  const singleSets = new Map<string, ReadonlySet<string>>();
  const singleSet = (target: string): ReadonlySet<string> => {
    const set = singleSets.get(target) ?? new Set([target]);
    singleSets.set(target, set);
    return set;
  };
  const visit = (node: RecipeNode, inherited: string | undefined): void => {
    for (const target of node.proves ?? [node.proofTarget ?? inherited]) if (target !== undefined) serve(node, target);
  };
  const serve = (node: RecipeNode, target: string): void => {
    const others = served.get(node);
    if (others?.has(target)) return;
    served.set(node, others ? new Set([...others, target]) : singleSet(target));
    for (const child of childrenOf(context, node)) visit(child, target);
  };
  for (const { node } of context.nodes) visit(node, undefined);
  context.servedTargets = served;
  return served;
}

const none: ReadonlySet<string> = new Set();

/** A target is visible when a node that serves it needs a page. */
export function visibleTargets(context: RuleContext, served: ServedTargets): ReadonlySet<string> {
  if (!context.traits.hasNeeds) return none;
  const visible = new Set<string>();
  for (const [node, targets] of served) {
    const action = context.declarationOf(node);
    if (action?.needs && needsOf(action, node).includes('page')) for (const id of targets) visible.add(id);
  }
  return visible;
}

/** The nodes that a node runs inside itself. */
export function childrenOf({ traits, declarationOf, compiled }: RuleContext, node: RecipeNode): Iterable<RecipeNode> {
  if (!traits.opensRegion) return [];
  const region = declarationOf(node)?.planRegion?.(node, compiled.recipe.flows);
  if (!region) return [];
  return 'child' in region ? [region.child] : region.nodes.values();
}
