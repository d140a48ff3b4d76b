// Run by bench/run.mjs, which makes the copies in generated/.
import { dirname, join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { localChromium, withRecipes } from 'recipewright/playwright';

const config = withRecipes(
  defineConfig({
    workers: 1,
    webServer: { command: 'node server.mjs', wait: { stdout: /at (?<bench_url>http:\S+)/ } },
    // Pictures and videos of proof windows are work that the hand-written spec does not do.
    use: { baseURL: process.env.BENCH_URL, recipeOptions: { hud: false, record: false }, ...localChromium() } as object,
    reporter: [['line'], ['recipewright/playwright/reporter']],
  }),
  { recipes: 'generated/*-recipe.recipe.json', setup: 'setup.ts' },
);

// For the entries of the recipes, which stand beside those of the specs.
const shims = config.projects?.at(-1)?.testDir ?? '';
process.env.BENCH_SHIMS = shims;
process.env.BENCH_PROJECT = join(dirname(shims), 'project.json');

export default { ...config, projects: [{ name: 'overhead', testDir: 'generated', testMatch: '*.entry.ts' }] };
