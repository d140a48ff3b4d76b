// Services in runs of the real command line.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
import { isAlive } from '../../support/isAlive.js';
import { serverFile, servingRecipe } from '../../support/serviceRecipes.js';
import { testServer } from '../../support/testServer.js';

const args = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];

test('recipewright run starts a service and sends requests to it and to --base-url, without a browser', async () => {
  const base = await testServer((_, response) => void response.end('at the base'));
  const project = cliProject({ 'server.mjs': serverFile, 'a.recipe.json': servingRecipe({ pidFile: 'pid', asksBase: true }) });
  const ended = await project.run(...args, '--base-url', base.url);
  expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Recipe run: pass') });
  expect(base.received.map(({ url }) => url)).toEqual(['/base']);
  expect(isAlive(Number(readFileSync(join(project.dir, 'pid'), 'utf8')))).toBe(false);
  expect(readFileSync(join(project.dir, 'out/logs/web.log'), 'utf8')).toBe('listening\nasked for /\nSIGTERM is ignored\n');
});

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s during a run ends a service that ignores signals, and the package has its log',
  async (signal) => {
    const project = cliProject({ 'server.mjs': serverFile, 'a.recipe.json': servingRecipe({ pidFile: 'pid', waits: true }) });
    const run = project.start(...args);
    await run.sees('Hang until');
    const pid = Number(readFileSync(join(project.dir, 'pid'), 'utf8'));
    expect(isAlive(pid)).toBe(true);
    run.child.kill(signal);
    const { exitCode } = await run.ended;
    expect([exitCode, isAlive(pid)]).toEqual([{ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal], false]);
    expect(readFileSync(join(project.dir, 'out/logs/web.log'), 'utf8')).toContain('asked for /');
    const summary = JSON.parse(readFileSync(join(project.dir, 'out/summary.json'), 'utf8')) as { status: string };
    expect(summary.status).toBe('unknown');
    expect(existsSync(join(project.dir, 'out/artifact-manifest.json'))).toBe(true);
  },
);

test.skipIf(process.platform === 'win32')('a service ends when its recipewright run is killed', async () => {
  const project = cliProject({ 'server.mjs': serverFile, 'a.recipe.json': servingRecipe({ pidFile: 'pid', waits: true }) });
  const run = project.start(...args);
  await run.sees('Hang until');
  const pid = Number(readFileSync(join(project.dir, 'pid'), 'utf8'));
  run.child.kill('SIGKILL');
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
});
