// Services and requests in Vitest.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../support/isAlive.js';
import { serverFile, servingRecipe } from '../support/serviceRecipes.js';
import { testServer } from '../support/testServer.js';
import { vitestProject } from '../support/vitestProject.js';

test('recipes in parallel workers of Vitest have services on different ports, which end with the recipes, and the packages have their logs', async () => {
  const base = await testServer((_, response) => void response.end('at the base'));
  const names = ['a', 'b'];
  const recipes = names.map((name) => [`recipes/${name}.recipe.json`, servingRecipe({ pidFile: `${name}.pid`, asksBase: true })]);
  const project = vitestProject(
    {
      'server.mjs': serverFile,
      'recipewright.config.mjs': `export default { browser: { baseURL: '${base.url}' } };`,
      ...Object.fromEntries(recipes),
    },
    { test: { maxWorkers: 2 } },
  );
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 0, passed: 2, failed: 0 });
  for (const name of names) {
    expect(run.packages.get(`recipes/${name}`)?.summary.status).toBe('pass');
    const log = readFileSync(join(project.dir, 'recipe-results/recipes', name, 'logs/web.log'), 'utf8');
    expect(log).toBe('listening\nasked for /\nSIGTERM is ignored\n');
    expect(isAlive(Number(project.read(`${name}.pid`)))).toBe(false);
  }
});
