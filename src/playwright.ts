import { markResultsStale } from './hosts/playwright/runPlan.js';

export { recipes } from '../fixtures/declareTests.js';
export { expect, test } from '../fixtures/recipeTest.js';
export type { RecipeValues } from './hosts/playwright/hostProject.js';
export type { RecipeFixture, RecipeFixtures, RunInTestOptions } from './hosts/playwright/projectContext.js';
export type { SpecOptions } from './hosts/playwright/registerDocuments.js';
export { localChromium, type RecipeOptions, recipeProject, withRecipes } from './hosts/playwright/withRecipes.js';

// A config imports this module before the config can fail, so the results of an earlier run become unknown in any case.
markResultsStale();
