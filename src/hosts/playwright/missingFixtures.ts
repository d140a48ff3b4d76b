// The fixtures that nodes ask for. When the project's test does not have one, Playwright itself would refuse to run anything.
import { needsOf } from '../../actions/action.js';
import type { LoadedRecipe, LoadResult } from '../../check/loadRecipe.js';
import { listNodesOnce } from '../../check/recipeNodes.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { reachableNodes } from '../../engine/plan.js';
import type { Capabilities } from '../../registry/capabilities.js';
import { fixturesNeeded, optionalFixtures } from '../../run/recipeNeeds.js';
import { readFixtureNames } from './internals/testType.js';
import type { TestProjectContext } from './projectContext.js';

/** What a test asks for; of what its nodes could do without, what there is. */
export function listFixtures(loaded: LoadedRecipe, { test, equipment }: TestProjectContext): string[] {
  if (!mayNeedFixtures(loaded, equipment)) return [];
  const available = test && readFixtureNames(test);
  const wanted = optionalFixtures(loaded, equipment).filter((name) => available?.has(name) ?? true);
  return [...new Set([...fixturesNeeded(loaded, equipment), ...wanted])];
}

// Told without a plan: many recipes have no node that could ask for anything.
function mayNeedFixtures({ compiled: { recipe } }: LoadedRecipe, { registry, stateRefs }: Capabilities): boolean {
  if (stateRefs.size > 0 || recipe.preConditions.length > 0) return true;
  for (const { node } of listNodesOnce(recipe)) {
    const action = registry.get(node.action);
    if (action?.needs !== undefined || action?.optionalNeeds !== undefined) return true;
  }
  return false;
}

/** What was loaded, with what keeps its test from being declared. */
export function addFixtureFindings(load: LoadResult, host: TestProjectContext): LoadResult {
  const loaded = load.loaded ?? load.rejected;
  const missing = loaded ? findMissingFixtures(loaded, host) : [];
  return missing.length > 0 ? { ...load, findings: [...load.findings, ...missing] } : load;
}

function findMissingFixtures(loaded: LoadedRecipe, { test, equipment }: TestProjectContext): Finding[] {
  const { compiled } = loaded;
  const available = test && readFixtureNames(test);
  if (!available) return [];
  const createFinding = (path: string, message: string, hint: string): Finding => {
    return { code: 'action.missing_fixture', severity: 'error', path, place: compiled.origin(path), message, hint };
  };
  if (!available.has('recipeRun')) {
    const hint = 'Extend the "test" of recipewright/playwright, or merge it in: mergeTests(recipes, yours).';
    return [createFinding('', 'The "test" of the setup module does not know how to run a recipe.', hint)];
  }
  if (!mayNeedFixtures(loaded, equipment) || fixturesNeeded(loaded, equipment).every((name) => available.has(name))) return [];
  const { plan } = loaded;
  const nodes = [plan.main, ...(plan.teardown ? [plan.teardown] : [])].flatMap((region) => [...reachableNodes(region)]);
  return nodes.flatMap(({ node: { recipe } }) => {
    const action = equipment.registry.get(recipe.action);
    const missing = action && needsOf(action, recipe).find((name) => !available.has(name));
    if (missing === undefined) return [];
    const message = `${recipe.action} needs the fixture ${JSON.stringify(missing)}, which the test does not have.`;
    return createFinding(joinPointer(recipe.pointer, 'action'), message, 'Add it to the "test" that the setup module exports.');
  });
}
