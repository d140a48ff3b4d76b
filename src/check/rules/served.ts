// Which claims a node serves: its own, and that of any call it runs under.
import type { RecipeNode } from '../../dialects/recipe.js';
import type { Checked } from '../rules.js';

export type Served = ReadonlyMap<RecipeNode, ReadonlySet<string>>;

const known = new WeakMap<object, Served>();

export function servedBy(checked: Checked): Served {
  const before = known.get(checked);
  if (before) return before;
  const served = new Map<RecipeNode, Set<string>>();
  const visit = (node: RecipeNode, inherited: string | undefined): void => {
    const target = node.proofTarget ?? inherited;
    if (target === undefined) return;
    const all = served.get(node) ?? new Set<string>();
    if (all.has(target)) return;
    served.set(node, all.add(target));
    for (const child of childrenOf(checked, node)) visit(child, target);
  };
  for (const { node } of checked.nodes) visit(node, undefined);
  known.set(checked, served);
  return served;
}

/** A target is visible when a node that serves it needs a page. */
export function visibleTargets(checked: Checked, served: Served): ReadonlySet<string> {
  const visible = new Set<string>();
  for (const [node, targets] of served) {
    if (checked.vocabulary.get(node.action)?.needs?.includes('page')) for (const id of targets) visible.add(id);
  }
  return visible;
}

/** What a node runs inside of itself. */
export function childrenOf({ vocabulary, compiled }: Checked, node: RecipeNode): Iterable<RecipeNode> {
  const opened = vocabulary.get(node.action)?.opens?.(node, compiled.recipe.flows);
  if (!opened) return [];
  return 'child' in opened ? [opened.child] : opened.nodes.values();
}
