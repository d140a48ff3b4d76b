// `recipewright run` with a browser of its own: the built command line, a real Chromium.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { findChromium } from '../../src/system/browsers.js';
import { type Node, recipe } from '../support/recipe.js';
import { serveApp } from './appServer.js';
import { expectGone, plainProject, run, summaryIn } from './plainProject.js';

const app = await serveApp();
afterAll(() => app.close());

const here = [...run, '--base-url', app.origin];
const open = { action: 'ui.navigate', url: '/cart' };
const see: Node = { action: 'ui.wait_for', text: 'Cart', timeout_ms: 60_000 };
const shop = recipe({ open, see, status: { action: 'app.status' } });

describe('recipewright run with a page', () => {
  test('starts a browser, runs the recipe in it, and leaves nothing of it', async () => {
    const made = plainProject(shop);
    const { exitCode, stdout, stderr } = await made.run(...here, '--json');
    expect([exitCode, stderr.split('\n')[0]]).toEqual([0, 'RUN 1/4 Perform open for the test']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'pass', summary: { total: 4, failed: 0 } });
    const trace = readFileSync(join(made.dir, 'out/trace.json'), 'utf8');
    expect(trace).toContain(`${app.origin}/cart`);
    expectGone(made);
  });

  test('fails by the failure table, and leaves nothing of the browser', async () => {
    const made = plainProject(recipe({ open, see: { ...see, text: 'Nothing like it', timeout_ms: 300 } }));
    expect((await made.run(...here)).exitCode).toBe(1);
    expect(summaryIn(made)).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expectGone(made);
  });

  test('takes browser and base URL from the config, and a path to a program from the command line', async () => {
    const config = `export default { browser: { baseURL: ${JSON.stringify(app.origin)}, name: './no-such-browser' } };`;
    const made = plainProject(shop, { 'recipewright.config.mjs': config });
    const missing = await made.run(...run);
    expect(missing.exitCode).toBe(3);
    expect(missing.stderr).toMatch(/run\.no_browser .*no-such-browser does not exist.*npx playwright install chromium/s);
    symlinkSync(findChromium()?.executablePath ?? '', join(made.dir, 'my-browser'));
    expect((await made.run(...run, '--browser', 'my-browser')).exitCode).toBe(0);
    expectGone(made);
  });

  test('leaves no browser when the directory cannot be used', async () => {
    const made = plainProject(shop);
    mkdirSync(join(made.dir, 'out'));
    writeFileSync(join(made.dir, 'out/mine.txt'), 'precious');
    const { exitCode, stderr } = await made.run(...here);
    expect([exitCode, stderr.includes('run.directory_not_empty')]).toEqual([2, true]);
    expectGone(made);
  });

  test('serves a program by runRecipe, which gives its browser back, too', async () => {
    const made = plainProject(shop);
    const options = { artifactsDir: join(made.dir, 'out'), browser: { baseURL: app.origin } };
    const result = await runRecipe(join(made.dir, 'a.recipe.json'), options);
    expect(result).toMatchObject({ ran: true, verdict: 'pass' });
    expectGone(made);
  });

  test('keeps evidence that an action of the page recorded', async () => {
    const network = (mode: string): Node => ({ action: 'cdp.network', mode });
    const made = plainProject(recipe({ watch: network('observe'), open, stop: network('stop'), see }));
    expect((await made.run(...here)).exitCode).toBe(0);
    const { log } = JSON.parse(readFileSync(join(made.dir, 'out/network/stop.har'), 'utf8'));
    expect(log.entries.map(({ request }: { request: { url: string } }) => request.url)).toContain(`${app.origin}/cart`);
    const verified = await made.run('verify', 'out', '--json');
    expect(JSON.parse(verified.stdout).findings ?? []).toEqual([]);
  });
});
