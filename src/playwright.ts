export { expect, test } from '../fixtures/recipeTest.js';
export { localChromium } from './hosts/playwright/localChromium.js';
export { type RecipeOptions, withRecipes } from './hosts/playwright/withRecipes.js';
