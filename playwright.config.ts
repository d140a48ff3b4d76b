// Runs the tests in test/e2e, and the project's own recipes through its own host and reporter.
import { defineConfig, type ReporterDescription } from '@playwright/test';
import { withRecipes } from 'recipewright/playwright';

const jsonFile = process.env.RECIPEWRIGHT_TEST_JSON;
const json: ReporterDescription[] = jsonFile === undefined ? [] : [['json', { outputFile: jsonFile }]];

export default withRecipes(
  defineConfig({
    projects: [{ name: 'e2e', testDir: './test/e2e' }],
    fullyParallel: true,
    workers: 2,
    retries: 0,
    // An inner run starts Playwright, sometimes a browser, and may share the machine with others.
    timeout: 180_000,
    reporter: [['list'], ...json, ['recipewright/playwright/reporter']],
  }),
  { recipes: 'test/e2e/**/*.recipe.json' },
);
