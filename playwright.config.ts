// Runs the tests in test/e2e, and the project's own recipes through its own host and reporter.
import { availableParallelism } from 'node:os';
import { defineConfig, type ReporterDescription } from '@playwright/test';
// By its own name, this repository would find dist/, which Playwright transforms, as it is not below node_modules.
import { withRecipes } from './node_modules/recipewright/dist/playwright.js';
import { eventMs, testMs } from './test/support/patience.js';

const jsonFile = process.env.RECIPEWRIGHT_TEST_JSON;
const json: ReporterDescription[] = jsonFile === undefined ? [] : [['json', { outputFile: jsonFile }]];

export default withRecipes(
  defineConfig({
    // "npm test" leaves out the files that take long and look closer; "npm run test:versions" runs them.
    projects: [{ name: 'e2e', testDir: './test/e2e', testIgnore: process.env.RECIPEWRIGHT_QUICK ? '**/*.thorough.test.ts' : [] }],
    fullyParallel: true,
    // An inner run waits for its own processes most of the time.
    workers: 2 * availableParallelism(),
    retries: 0,
    timeout: testMs,
    expect: { timeout: eventMs },
    reporter: [['list'], ...json, ['./node_modules/recipewright/dist/playwright-reporter.js']],
  }),
  { recipes: 'test/e2e/**/*.recipe.json' },
);
