// Finds out before a run which claims a recipe has, which fixtures it needs, and how long it may take.
import { needsOf, optionalNeedsOf } from '../actions/action.js';
import type { LoadedRecipe } from '../check/loadRecipe.js';
import { type PlanNode, type Region, reachableNodes } from '../engine/plan.js';
import type { RunLine } from '../evidence/journal.js';
import type { Capabilities } from '../registry/capabilities.js';
import type { Registry } from '../registry/registry.js';
import { stateRefsOf } from './node/readStateRefs.js';

/** The claims of a recipe. A claim is visible when a node that serves it, directly or through a call, needs a page. */
export function proofTargetsOf({ compiled, plan }: LoadedRecipe, registry: Registry): RunLine['targets'] {
  if (compiled.recipe.proofTargets.length === 0) return [];
  const visibleTargets = new Set<string>();
  const targetsByNode = new Map<PlanNode, readonly string[]>();
  for (const { node, parent } of reachableNodes(plan.main)) {
    const { proofTarget, proves } = node.recipe;
    const ownTargets = proves ?? (proofTarget === undefined ? undefined : [proofTarget]);
    const targets = ownTargets ?? (parent && targetsByNode.get(parent)) ?? [];
    targetsByNode.set(node, targets);
    if (targets.length > 0 && fixturesOf(node, registry).includes('page'))
      for (const target of targets) visibleTargets.add(target);
  }
  return compiled.recipe.proofTargets.map((target) => ({ ...target, visible: visibleTargets.has(target.id) }));
}

/** Returns the sorted names of the fixtures that the reachable nodes need. */
export function collectNeededFixtures({ plan, compiled }: LoadedRecipe, { registry, stateRefs }: Capabilities): string[] {
  const regions: Region[] = plan.teardown ? [plan.main, plan.teardown] : [plan.main];
  const needs = new Set<string>();
  const add = (names: readonly string[] = []): void => names.forEach((name) => void needs.add(name));
  for (const region of regions)
    for (const { node } of reachableNodes(region)) {
      add(fixturesOf(node, registry));
      if (stateRefs.size > 0) for (const name of stateRefsOf(node.recipe, compiled.recipe.flows)) add(stateRefs.get(name)?.needs);
    }
  return [...needs].sort();
}

const browserFixtures = ['page', 'context', 'browser'];

const needsBrowser = (needs: readonly string[] = []): boolean => needs.some((need) => browserFixtures.includes(need));

/**
 * Returns the name of the first action or state ref that needs Playwright and not only the CDP port of an app.
 * `needs` are all needed fixtures. The search is skipped when none of them is a fixture of the browser.
 */
export function findBrowserDriverNeed(
  { plan, compiled }: LoadedRecipe,
  { registry, stateRefs }: Capabilities,
  needs: readonly string[],
): string | undefined {
  if (!needsBrowser(needs)) return undefined;
  const regions: Region[] = plan.teardown ? [plan.main, plan.teardown] : [plan.main];
  for (const region of regions)
    for (const { node } of reachableNodes(region)) {
      const action = registry.get(node.recipe.action);
      if (!action?.worksOverCdpPort && needsBrowser(fixturesOf(node, registry))) return node.recipe.action;
      const state = stateRefsOf(node.recipe, compiled.recipe.flows).find((name) => needsBrowser(stateRefs.get(name)?.needs));
      if (state !== undefined) return state;
    }
  return undefined;
}

function fixturesOf({ recipe }: PlanNode, registry: Registry): readonly string[] {
  const action = registry.get(recipe.action);
  return action ? needsOf(action, recipe) : [];
}

/** Returns the sorted names of the fixtures that the reachable nodes use if the host has them. */
export function collectOptionalFixtures({ plan }: LoadedRecipe, { registry }: Capabilities): string[] {
  const regions: Region[] = plan.teardown ? [plan.main, plan.teardown] : [plan.main];
  const nodes = regions.flatMap((region) => [...reachableNodes(region)]);
  const names = nodes.flatMap(({ node: { recipe } }) => {
    const action = registry.get(recipe.action);
    return action ? optionalNeedsOf(action, recipe) : [];
  });
  return [...new Set(names)].sort();
}

/** The timeout of a node in milliseconds. By default, a node that opens a region has none, because the nodes inside it have one. */
export function timeoutOf({ body, recipe }: PlanNode, registry: Registry, nodeTimeoutMs: number): number {
  const actionTimeout = registry.get(recipe.action)?.timeoutMs;
  const timeoutMs = recipe.timeoutMs ?? (typeof actionTimeout === 'function' ? actionTimeout(recipe) : actionTimeout);
  return timeoutMs ?? (body ? Number.POSITIVE_INFINITY : nodeTimeoutMs);
}

/** The sum of the timeouts of all nodes, for a run that visits each node once. */
export function maxRunMs({ plan }: LoadedRecipe, registry: Registry, nodeTimeoutMs: number): number {
  const nodes = [plan.main, ...(plan.teardown ? [plan.teardown] : [])].flatMap((region) => [...reachableNodes(region)]);
  const times = nodes.map(({ node }) => timeoutOf(node, registry, nodeTimeoutMs)).filter(Number.isFinite);
  return times.reduce((sum, ms) => sum + ms, 0);
}
