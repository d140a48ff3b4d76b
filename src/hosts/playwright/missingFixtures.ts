// Finds the fixtures that nodes need. Without this check, Playwright would run no test at all when one fixture is missing.
import { needsOf } from '../../actions/action.js';
import type { LoadedRecipe, LoadResult } from '../../check/loadRecipe.js';
import { listNodes } from '../../check/recipeNodes.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { reachableNodes } from '../../engine/plan.js';
import type { Capabilities } from '../../registry/capabilities.js';
import { collectNeededFixtures, collectOptionalFixtures } from '../../run/recipeNeeds.js';
import { readFixtureNames } from './internals/testType.js';
import type { TestProjectContext } from './projectContext.js';

/** Lists the fixtures of a test: all that its nodes require, and the optional ones that exist. */
export function listFixtures(loaded: LoadedRecipe, { test, capabilities }: TestProjectContext): string[] {
  if (!mayNeedFixtures(loaded, capabilities)) return [];
  const available = test && readFixtureNames(test);
  const optional = collectOptionalFixtures(loaded, capabilities).filter((name) => available?.has(name) ?? true);
  return [...new Set([...collectNeededFixtures(loaded, capabilities), ...optional])];
}

// A quick check that saves most recipes the work of a plan: they have no node that could need a fixture.
function mayNeedFixtures({ compiled: { recipe } }: LoadedRecipe, { registry, stateRefs }: Capabilities): boolean {
  if (stateRefs.size > 0 || recipe.preConditions.length > 0) return true;
  for (const { node } of listNodes(recipe)) {
    const action = registry.get(node.action);
    if (action?.needs !== undefined || action?.optionalNeeds !== undefined) return true;
  }
  return false;
}

/** Adds a finding for each fixture that the project's `test` does not have. */
export function addFixtureFindings(load: LoadResult, context: TestProjectContext): LoadResult {
  const loaded = load.loaded ?? load.rejected;
  const missing = loaded ? findMissingFixtures(loaded, context) : [];
  return missing.length > 0 ? { ...load, findings: [...load.findings, ...missing] } : load;
}

function findMissingFixtures(loaded: LoadedRecipe, { test, capabilities }: TestProjectContext): Finding[] {
  const { compiled } = loaded;
  const available = test && readFixtureNames(test);
  if (!available) return [];
  const createFinding = (path: string, message: string, hint: string): Finding => ({
    code: 'action.missing_fixture',
    severity: 'error',
    path,
    place: compiled.origin(path),
    message,
    hint,
  });
  if (!available.has('recipeRun')) {
    const hint = 'Extend the "test" of recipewright/playwright, or merge the two: mergeTests(recipeTest, yourTest).';
    return [createFinding('', 'The "test" that the setup module exports has no fixtures that run a recipe.', hint)];
  }
  if (!mayNeedFixtures(loaded, capabilities) || collectNeededFixtures(loaded, capabilities).every((name) => available.has(name)))
    return [];
  const { plan } = loaded;
  const nodes = [plan.main, ...(plan.teardown ? [plan.teardown] : [])].flatMap((region) => [...reachableNodes(region)]);
  return nodes.flatMap(({ node: { recipe } }) => {
    const action = capabilities.registry.get(recipe.action);
    const missing = action && needsOf(action, recipe).find((name) => !available.has(name));
    if (missing === undefined) return [];
    const message = `${recipe.action} needs the fixture ${JSON.stringify(missing)}, which the test does not have.`;
    return createFinding(
      joinPointer(recipe.pointer, 'action'),
      message,
      'Add the fixture to the "test" that the setup module exports.',
    );
  });
}
