import { defineConfig } from '@playwright/test';
import { localChromium, withRecipes } from 'recipewright/playwright';

export default withRecipes(
  defineConfig({
    testDir: './tests',
    // The server takes a free port and prints its address, which Playwright then puts into the environment.
    webServer: { command: 'node server.mjs', wait: { stdout: /open at (?<shop_url>http:\S+)/ } },
    use: { baseURL: process.env.SHOP_URL, ...localChromium() },
    reporter: [['list'], ['html', { open: 'never' }], ['recipewright/playwright/reporter']],
  }),
  { recipes: 'recipes/**/*.{recipe,flows}.json', setup: './recipes.setup.ts' },
);
