// `recipewright run` with its own browser: the built command line and a real Chromium.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { findChromium } from '../../src/system/browsers.js';
import { type Node, recipe } from '../support/recipe.js';
import { serveApp } from './appServer.js';
import { expectNoBrowserLeft, plainProject, run, summaryIn } from './plainProject.js';

const app = await serveApp();
afterAll(() => app.close());

const runOnApp = [...run, '--base-url', app.origin];
const open = { action: 'ui.navigate', url: '/cart' };
const see: Node = { action: 'ui.wait_for', text: 'Cart', timeout_ms: 60_000 };
const shop = recipe({ open, see, status: { action: 'app.status' } });

describe('recipewright run with a page', () => {
  test('run starts a browser, runs the recipe in it, and leaves no process or file of the browser', async () => {
    const project = plainProject(shop);
    const { exitCode, stdout, stderr } = await project.run(...runOnApp, '--json');
    expect([exitCode, stderr.split('\n')[0]]).toEqual([0, 'RUN 1/4 Perform open for the test']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'pass', summary: { total: 4, failed: 0 } });
    const trace = readFileSync(join(project.dir, 'out/trace.json'), 'utf8');
    expect(trace).toContain(`${app.origin}/cart`);
    expectNoBrowserLeft(project);
  });

  test('a failed run exits with 1 and leaves no process or file of the browser', async () => {
    const project = plainProject(recipe({ open, see: { ...see, text: 'Nothing like it', timeout_ms: 300 } }));
    expect((await project.run(...runOnApp)).exitCode).toBe(1);
    expect(summaryIn(project)).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expectNoBrowserLeft(project);
  });

  test('run takes the browser and the base URL from the config, and --browser accepts a path', async () => {
    const config = `export default { browser: { baseURL: ${JSON.stringify(app.origin)}, name: './no-such-browser' } };`;
    const project = plainProject(shop, { 'recipewright.config.mjs': config });
    const missing = await project.run(...run);
    expect(missing.exitCode).toBe(3);
    expect(missing.stderr).toMatch(/run\.no_browser .*no-such-browser does not exist.*npx playwright install chromium/s);
    symlinkSync(findChromium()?.executablePath ?? '', join(project.dir, 'my-browser'));
    expect((await project.run(...run, '--browser', 'my-browser')).exitCode).toBe(0);
    expectNoBrowserLeft(project);
  });

  test('run starts no browser when the artifacts directory is not empty', async () => {
    const project = plainProject(shop);
    mkdirSync(join(project.dir, 'out'));
    writeFileSync(join(project.dir, 'out/mine.txt'), 'precious');
    const { exitCode, stderr } = await project.run(...runOnApp);
    expect([exitCode, stderr.includes('run.directory_not_empty')]).toEqual([2, true]);
    expectNoBrowserLeft(project);
  });

  test('runRecipe starts a browser and leaves no process or file of it', async () => {
    const project = plainProject(shop);
    const options = { artifactsDir: join(project.dir, 'out'), browser: { baseURL: app.origin } };
    const result = await runRecipe(join(project.dir, 'a.recipe.json'), options);
    expect(result).toMatchObject({ ran: true, verdict: 'pass' });
    expectNoBrowserLeft(project);
  });

  test('run stores the HAR file that cdp.network recorded', async () => {
    const network = (mode: string): Node => ({ action: 'cdp.network', mode });
    const project = plainProject(recipe({ watch: network('observe'), open, stop: network('stop'), see }));
    expect((await project.run(...runOnApp)).exitCode).toBe(0);
    const { log } = JSON.parse(readFileSync(join(project.dir, 'out/network/stop.har'), 'utf8'));
    expect(log.entries.map(({ request }: { request: { url: string } }) => request.url)).toContain(`${app.origin}/cart`);
    const verified = await project.run('verify', 'out', '--json');
    expect(JSON.parse(verified.stdout).findings ?? []).toEqual([]);
  });
});
