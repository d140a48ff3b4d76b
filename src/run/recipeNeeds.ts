// What is known of a recipe's claims and needs before it runs.
import { needsOf, optionalNeedsOf } from '../actions/action.js';
import type { LoadedRecipe } from '../check/loadRecipe.js';
import { type PlanNode, type Region, reachableNodes } from '../engine/plan.js';
import type { RunLine } from '../evidence/journal.js';
import type { Capabilities } from '../registry/capabilities.js';
import type { Registry } from '../registry/registry.js';
import { stateRefsOf } from './node/readStateRefs.js';

/** The claims; one is visible when a node mapped to it, itself or by the call around it, needs a page. */
export function proofTargetsOf({ compiled, plan }: LoadedRecipe, registry: Registry): RunLine['targets'] {
  if (compiled.recipe.proofTargets.length === 0) return [];
  const seen = new Set<string>();
  const mapped = new Map<PlanNode, readonly string[]>();
  for (const { node, parent } of reachableNodes(plan.main)) {
    const { proofTarget, proves } = node.recipe;
    const own = proves ?? (proofTarget === undefined ? undefined : [proofTarget]);
    const targets = own ?? (parent && mapped.get(parent)) ?? [];
    mapped.set(node, targets);
    if (targets.length > 0 && fixturesOf(node, registry).includes('page')) for (const target of targets) seen.add(target);
  }
  return compiled.recipe.proofTargets.map((target) => ({ ...target, visible: seen.has(target.id) }));
}

/** The fixtures that the nodes which can run ask for, in a stable order. */
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
 * What asks for more of a browser than its debugging port has: the name of the first action or `state_ref` that does.
 * `needs`: all fixtures that are needed, among which there is nothing of a browser most of the time.
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

/** The fixtures that they take where there are such, in a stable order. */
export function collectOptionalFixtures({ plan }: LoadedRecipe, { registry }: Capabilities): string[] {
  const regions: Region[] = plan.teardown ? [plan.main, plan.teardown] : [plan.main];
  const nodes = regions.flatMap((region) => [...reachableNodes(region)]);
  const wants = nodes.flatMap(({ node: { recipe } }) => {
    const action = registry.get(recipe.action);
    return action ? optionalNeedsOf(action, recipe) : [];
  });
  return [...new Set(wants)].sort();
}

/** When a node is given up, in milliseconds after it began. What opens a region is bounded by what it runs. */
export function timeoutOf({ body, recipe }: PlanNode, registry: Registry, nodeTimeoutMs: number): number {
  const usual = registry.get(recipe.action)?.timeoutMs;
  const own = recipe.timeoutMs ?? (typeof usual === 'function' ? usual(recipe) : usual);
  return own ?? (body ? Number.POSITIVE_INFINITY : nodeTimeoutMs);
}

/** How long all nodes may take together when each is visited once. */
export function maxRunMs({ plan }: LoadedRecipe, registry: Registry, nodeTimeoutMs: number): number {
  const nodes = [plan.main, ...(plan.teardown ? [plan.teardown] : [])].flatMap((region) => [...reachableNodes(region)]);
  const times = nodes.map(({ node }) => timeoutOf(node, registry, nodeTimeoutMs)).filter(Number.isFinite);
  return times.reduce((sum, ms) => sum + ms, 0);
}
