// The fixtures that nodes ask for. When the project's test does not have one, Playwright itself would refuse to run anything.
import { needsOf } from '../../actions/action.js';
import type { Load, Loaded } from '../../check/loadRecipe.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import { reachable } from '../../graph/plan.js';
import { fixturesNeeded, fixturesWanted } from '../../run/targets.js';
import { fixtureNames } from './internals.js';
import type { RecipeHost } from './recipeHost.js';

/** What a test asks for; of what its nodes could do without, what there is. */
export function fixturesFor(loaded: Loaded, { test, equipment }: RecipeHost): string[] {
  const known = test && fixtureNames(test);
  const wanted = fixturesWanted(loaded, equipment).filter((name) => known?.has(name) ?? true);
  return [...new Set([...fixturesNeeded(loaded, equipment), ...wanted])];
}

/** What was loaded, with what keeps its test from being declared. */
export function withFixtures(load: Load, host: RecipeHost): Load {
  const loaded = load.loaded ?? load.rejected;
  return loaded ? { ...load, findings: [...load.findings, ...missingFixtures(loaded, host)] } : load;
}

function missingFixtures(loaded: Loaded, { test, equipment }: RecipeHost): Finding[] {
  const { compiled, plan } = loaded;
  const known = test && fixtureNames(test);
  if (!known) return [];
  const refuse = (path: string, message: string, hint: string): Finding => {
    return { code: 'action.missing_fixture', severity: 'error', path, place: compiled.origin(path), message, hint };
  };
  if (!known.has('recipeRun')) {
    const hint = 'Extend the "test" of recipewright/playwright, or merge it in: mergeTests(recipes, yours).';
    return [refuse('', 'The "test" of the setup module does not know how to run a recipe.', hint)];
  }
  if (fixturesNeeded(loaded, equipment).every((name) => known.has(name))) return [];
  const nodes = [plan.main, ...(plan.teardown ? [plan.teardown] : [])].flatMap((region) => [...reachable(region)]);
  return nodes.flatMap(({ node: { recipe } }) => {
    const action = equipment.registry.get(recipe.action);
    const missing = action && needsOf(action, recipe).find((name) => !known.has(name));
    if (missing === undefined) return [];
    const message = `${recipe.action} needs the fixture ${JSON.stringify(missing)}, which the test does not have.`;
    return refuse(joinPointer(recipe.pointer, 'action'), message, 'Add it to the "test" that the setup module exports.');
  });
}
