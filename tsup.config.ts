import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    cli: 'src/cli/main.ts',
    playwright: 'src/playwright.ts',
    'playwright-register': 'src/hosts/playwright/registerRecipe.ts',
    'playwright-reporter': 'reporters/playwright.ts',
  },
  format: 'esm',
  target: 'node20.19',
  splitting: true,
  clean: true,
  // Playwright finds a test's fixtures in the text of its functions.
  minify: false,
  dts: { entry: { index: 'src/index.ts', playwright: 'src/playwright.ts', 'playwright-reporter': 'reporters/playwright.ts' } },
  define: { RECIPEWRIGHT_VERSION: JSON.stringify(version) },
});
