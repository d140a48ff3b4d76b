// Which claims a node serves: its own, and that of any call it runs under.
import { needsOf } from '../../actions/action.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import type { RuleContext, ServedTargets } from '../ruleContext.js';

export function findServedTargets(checked: RuleContext): ServedTargets {
  if (checked.servedTargets) return checked.servedTargets;
  const served = new Map<RecipeNode, ReadonlySet<string>>();
  // Most nodes serve one claim, and the same as their neighbours: they share its set.
  const alone = new Map<string, ReadonlySet<string>>();
  const only = (target: string): ReadonlySet<string> => {
    const set = alone.get(target) ?? new Set([target]);
    alone.set(target, set);
    return set;
  };
  const visit = (node: RecipeNode, inherited: string | undefined): void => {
    for (const target of node.proves ?? [node.proofTarget ?? inherited]) if (target !== undefined) serve(node, target);
  };
  const serve = (node: RecipeNode, target: string): void => {
    const before = served.get(node);
    if (before?.has(target)) return;
    served.set(node, before ? new Set([...before, target]) : only(target));
    for (const child of childrenOf(checked, node)) visit(child, target);
  };
  for (const { node } of checked.nodes) visit(node, undefined);
  checked.servedTargets = served;
  return served;
}

const none: ReadonlySet<string> = new Set();

/** A target is visible when a node that serves it needs a page. */
export function visibleTargets(checked: RuleContext, served: ServedTargets): ReadonlySet<string> {
  if (!checked.traits.needs) return none;
  const visible = new Set<string>();
  for (const [node, targets] of served) {
    const action = checked.declarationOf(node);
    if (action?.needs && needsOf(action, node).includes('page')) for (const id of targets) visible.add(id);
  }
  return visible;
}

/** What a node runs inside of itself. */
export function childrenOf({ traits, declarationOf, compiled }: RuleContext, node: RecipeNode): Iterable<RecipeNode> {
  if (!traits.opens) return [];
  const opened = declarationOf(node)?.planRegion?.(node, compiled.recipe.flows);
  if (!opened) return [];
  return 'child' in opened ? [opened.child] : opened.nodes.values();
}
