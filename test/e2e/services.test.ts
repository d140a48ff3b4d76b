// Services and requests in Playwright tests.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { isAlive } from '../support/isAlive.js';
import { listenHere } from '../support/listen.js';
import { expect, test } from '../support/project.js';
import { serverFile, servingRecipe } from '../support/serviceRecipes.js';

const readPid = (dir: string, file: string): number => Number(readFileSync(join(dir, file), 'utf8'));
const readLog = (dir: string, name: string): string =>
  readFileSync(join(dir, 'recipe-results/recipes', name, 'logs/web.log'), 'utf8');

test('recipes in parallel workers have services on different ports, which end with the recipes, and the packages have their logs', async ({
  project,
}) => {
  const { port, close } = await listenHere(createServer((_, response) => void response.end('at the base')));
  const names = ['a', 'b'];
  const recipes = names.map((name) => [`recipes/${name}.recipe.json`, servingRecipe({ pidFile: `${name}.pid`, asksBase: true })]);
  const inner = project(
    { 'server.mjs': serverFile, ...Object.fromEntries(recipes) },
    { config: { workers: 2, fullyParallel: true, use: { baseURL: `http://127.0.0.1:${port}` } } },
  );
  const run = await inner.run();
  close();
  expect(run).toMatchObject({ exitCode: 0, passed: 2 });
  for (const name of names) {
    expect(run.packages.get(`recipes/${name}`)?.summary.status).toBe('pass');
    expect(readLog(inner.dir, name)).toBe('listening\nasked for /\nSIGTERM is ignored\n');
    expect(isAlive(readPid(inner.dir, `${name}.pid`))).toBe(false);
  }
});

test('an interrupted Playwright run ends its service, and the package has the log', async ({ project }) => {
  const inner = project(
    { 'server.mjs': serverFile, 'recipes/a.recipe.json': servingRecipe({ pidFile: 'a.pid', waits: true }) },
    {
      config: { reporter: [['./liveReporter.mjs'], ['recipewright/playwright/reporter']] },
    },
  );
  inner.write({
    'liveReporter.mjs':
      "export default class { onStepBegin(_, __, step) { if (step.title.includes('Hang until')) console.log('HANGS'); } }",
  });
  const run = await inner.run([], { send: { when: 'HANGS', signal: 'SIGINT' } });
  expect(run.exitCode).not.toBe(0);
  expect(existsSync(join(inner.dir, 'a.pid'))).toBe(true);
  expect(isAlive(readPid(inner.dir, 'a.pid'))).toBe(false);
  expect(run.packages.get('recipes/a')?.summary.status).toBe('unknown');
  expect(readLog(inner.dir, 'a')).toContain('asked for /');
});
