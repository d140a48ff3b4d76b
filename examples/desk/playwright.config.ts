import { defineConfig } from '@playwright/test';
import { recipeProject } from 'recipewright/playwright';

export default defineConfig({
  projects: [recipeProject()],
  reporter: [['list'], ['recipewright/playwright/reporter']],
});
