import { withRecipes } from 'recipewright/vitest';
import { defineConfig } from 'vitest/config';

export default withRecipes(defineConfig({}), { recipes: 'manifests/*.runtime.json', setup: './desk.setup.ts' });
