// The fixtures that nodes ask for. When the project's test does not have one, Playwright itself would refuse to run anything.
import { needsOf } from '../../actions/action.js';
import type { LoadedRecipe, LoadResult } from '../../check/loadRecipe.js';
import { listNodesOnce } from '../../check/recipeNodes.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { reachableNodes } from '../../engine/plan.js';
import type { Capabilities } from '../../registry/capabilities.js';
import { fixturesNeeded, optionalFixtures } from '../../run/recipeNeeds.js';
import { fixtureNames } from './internals.js';
import type { TestingHost } from './recipeHost.js';

/** What a test asks for; of what its nodes could do without, what there is. */
export function fixturesFor(loaded: LoadedRecipe, { test, equipment }: TestingHost): string[] {
  if (!mayAsk(loaded, equipment)) return [];
  const known = test && fixtureNames(test);
  const wanted = optionalFixtures(loaded, equipment).filter((name) => known?.has(name) ?? true);
  return [...new Set([...fixturesNeeded(loaded, equipment), ...wanted])];
}

// Told without a plan: many recipes have no node that could ask for anything.
function mayAsk({ compiled: { recipe } }: LoadedRecipe, { registry, stateRefs }: Capabilities): boolean {
  if (stateRefs.size > 0 || recipe.preConditions.length > 0) return true;
  for (const { node } of listNodesOnce(recipe)) {
    const action = registry.get(node.action);
    if (action?.needs !== undefined || action?.optionalNeeds !== undefined) return true;
  }
  return false;
}

/** What was loaded, with what keeps its test from being declared. */
export function withFixtures(load: LoadResult, host: TestingHost): LoadResult {
  const loaded = load.loaded ?? load.rejected;
  const missing = loaded ? missingFixtures(loaded, host) : [];
  return missing.length > 0 ? { ...load, findings: [...load.findings, ...missing] } : load;
}

function missingFixtures(loaded: LoadedRecipe, { test, equipment }: TestingHost): Finding[] {
  const { compiled } = loaded;
  const known = test && fixtureNames(test);
  if (!known) return [];
  const refuse = (path: string, message: string, hint: string): Finding => {
    return { code: 'action.missing_fixture', severity: 'error', path, place: compiled.origin(path), message, hint };
  };
  if (!known.has('recipeRun')) {
    const hint = 'Extend the "test" of recipewright/playwright, or merge it in: mergeTests(recipes, yours).';
    return [refuse('', 'The "test" of the setup module does not know how to run a recipe.', hint)];
  }
  if (!mayAsk(loaded, equipment) || fixturesNeeded(loaded, equipment).every((name) => known.has(name))) return [];
  const { plan } = loaded;
  const nodes = [plan.main, ...(plan.teardown ? [plan.teardown] : [])].flatMap((region) => [...reachableNodes(region)]);
  return nodes.flatMap(({ node: { recipe } }) => {
    const action = equipment.registry.get(recipe.action);
    const missing = action && needsOf(action, recipe).find((name) => !known.has(name));
    if (missing === undefined) return [];
    const message = `${recipe.action} needs the fixture ${JSON.stringify(missing)}, which the test does not have.`;
    return refuse(joinPointer(recipe.pointer, 'action'), message, 'Add it to the "test" that the setup module exports.');
  });
}
