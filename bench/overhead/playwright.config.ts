// bench/run.mjs writes the copies in generated/ and runs this config. The package.json of this folder makes 'recipewright' resolve to the
// installed copy in node_modules: Playwright would transform the files in dist/.
import { dirname, join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { localChromium, withRecipes } from 'recipewright/playwright';

const config = withRecipes(
  defineConfig({
    workers: 1,
    webServer: { command: 'node server.mjs', wait: { stdout: /at (?<bench_url>http:\S+)/ } },
    // The hand-written spec records no screenshots and videos, so the recipes do not either.
    use: { baseURL: process.env.BENCH_URL, recipeOptions: { hud: false, record: false }, ...localChromium() } as object,
    reporter: [['line'], ['recipewright/playwright/reporter']],
  }),
  { recipes: 'generated/*-recipe.recipe.json', setup: 'setup.ts' },
);

// The entry files of the recipes import the shims from this folder.
const shims = config.projects?.at(-1)?.testDir ?? '';
process.env.BENCH_SHIMS = shims;
process.env.BENCH_PROJECT = join(dirname(shims), 'project.json');

export default { ...config, projects: [{ name: 'overhead', testDir: 'generated', testMatch: '*.entry.ts' }] };
