// The recipes that a run does not come to, because it was asked for others, and what asked for those.
import type { FullConfig, Suite, TestCase } from '@playwright/test/reporter';
import type { SuiteEntry } from '../../evidence/suite.js';
import { leftOut, type PlannedRecipe } from '../shared/suiteRecord.js';
import { isTestRun, selectionIn } from './commandLine.js';
import { identityOf } from './readResult.js';
import { type BlobMetadata, plannedRecipes } from './runPlan.js';

export type LeftOut = { entries: SuiteEntry[]; selection: string[] };

type Chosen = {
  config: FullConfig | undefined;
  nameOf(test: TestCase): string | undefined;
  /** The suite comes from the blobs of other runs. */
  isMerging: boolean;
};

export function leftOutOf(suite: Suite, { config, nameOf, isMerging }: Chosen): LeftOut {
  const tests = suite.allTests();
  const names = new Set(tests.map(nameOf));
  const { selection, recipes } = isMerging ? toldBy(suite) : planOf(config, tests);
  const entries = recipes.filter(({ name }) => !names.has(name));
  const why = selection.length > 0 ? selection : ['test.only, or a filter of the config'];
  return {
    selection: entries.length > 0 ? why : selection,
    entries: entries.map(({ name, claims = [] }) => ({ name, claims, ...leftOut(why) })),
  };
}

type Chooser = { selection: string[]; recipes: readonly PlannedRecipe[] };

function planOf(config: FullConfig | undefined, tests: readonly TestCase[]): Chooser {
  const identities = tests.flatMap((test) => identityOf(test) ?? []);
  // A catalog that cannot be read as a whole is one test for all of its flows.
  const whole = new Set(identities.filter(({ invalid, flow }) => invalid && flow === '').map(({ file }) => file));
  const selection = isTestRun() ? selectionIn() : ['what was chosen in UI mode or in the editor'];
  return { selection, recipes: plannedRecipes(config).filter(({ file }) => !whole.has(file)) };
}

/** What the runs whose blobs are merged left out, as each of them tells. */
function toldBy(suite: Suite): Chooser {
  const told = suite.suites.flatMap((one) => (one.project()?.metadata as Partial<BlobMetadata> | undefined)?.recipewright ?? []);
  const recipes = new Map(told.flatMap((one) => one.recipes).map((recipe) => [recipe.name, recipe]));
  return { selection: [...new Set(told.flatMap((one) => one.selection))], recipes: [...recipes.values()] };
}
