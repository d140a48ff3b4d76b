import { startRun } from './hosts/playwright/runPlan.js';

export { recipes } from '../fixtures/declareTests.js';
export { expect, test } from '../fixtures/recipeTest.js';
export type { RecipeValues } from './hosts/playwright/hostProject.js';
export { localChromium } from './hosts/playwright/localChromium.js';
export type { RecipeFixture, RunInTestOptions } from './hosts/playwright/recipeFixture.js';
export type { RecipeFixtures } from './hosts/playwright/recipeHost.js';
export { type RecipeOptions, recipeProject } from './hosts/playwright/recipeProject.js';
export type { SpecOptions } from './hosts/playwright/recipes.js';
export { withRecipes } from './hosts/playwright/withRecipes.js';

// The config of a run imports this before anything of it can fail: from here on, nothing that a former run left counts.
startRun();
