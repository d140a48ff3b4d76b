import { withRecipes } from 'recipewright/vitest';
import { defineConfig } from 'vitest/config';

export default withRecipes(
  defineConfig({
    test: { reporters: ['default', 'recipewright/vitest/reporter'] },
  }),
  { recipes: ['recipes/**/*.recipe.json', 'flows/*.flows.json'], setup: './recipes.setup.ts' },
);
