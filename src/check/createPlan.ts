// Plans a checked recipe: which node can follow which, and the regions inside nodes.

import type { Vocabulary } from '../actions/vocabulary.js';
import type { Finding } from '../document/finding.js';
import { defaultLimits, type Limits } from '../engine/limits.js';
import type { Next, Plan } from '../engine/plan.js';
import { type NodeRouting, PlanError, planRecipe } from '../engine/planRecipe.js';
import type { CompiledRecipe, RecipeNode } from '../recipe/recipe.js';

/** Returns the plan, or a finding about a call cycle or about calls that nest too deep. */
export function createPlan(compiled: CompiledRecipe, vocabulary: Vocabulary, limits: Partial<Limits> = {}): Plan | Finding {
  const { recipe } = compiled;
  const routing: NodeRouting = {
    nextOf: (node: RecipeNode) => findNext(vocabulary, node),
    bodyOf: (node: RecipeNode) => vocabulary.get(node.action)?.planRegion?.(node, recipe.flows),
  };
  try {
    return planRecipe(recipe, routing, { ...defaultLimits, ...limits });
  } catch (thrown) {
    if (!(thrown instanceof PlanError)) throw thrown;
    const { code, pointer: path, message } = thrown;
    return { code, severity: 'error', path, place: compiled.origin(path), message };
  }
}

function findNext(vocabulary: Vocabulary, node: RecipeNode): Next {
  if (node.routes) {
    const cases = node.fallback === undefined ? node.routes : new Map([...node.routes, ['default', node.fallback]]);
    return { kind: 'cases', cases };
  }
  const actionNext = vocabulary.get(node.action)?.planNext?.(node);
  return actionNext ?? (node.next === undefined ? { kind: 'none' } : { kind: 'to', id: node.next });
}
