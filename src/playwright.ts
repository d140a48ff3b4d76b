export { expect, type RecipeFixtures, test } from '../fixtures/recipeTest.js';
export type { RecipeValues } from './hosts/playwright/hostProject.js';
export { localChromium } from './hosts/playwright/localChromium.js';
export type { RecipeFixture, RunInTestOptions } from './hosts/playwright/recipeFixture.js';
export { type RecipeOptions, recipeProject } from './hosts/playwright/recipeProject.js';
export { recipes, type SpecOptions } from './hosts/playwright/recipes.js';
export { withRecipes } from './hosts/playwright/withRecipes.js';
