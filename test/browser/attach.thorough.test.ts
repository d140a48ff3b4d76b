// `recipewright run --cdp-port` attaches to a running app and leaves the app running.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { cliProject, type Project } from '../support/cli.js';
import { type Node, recipe } from '../support/recipe.js';
import { type RunningApp, startApp } from '../support/runningApp.js';
import { serveApp } from './appServer.js';

const app = await serveApp();
const root = fileURLToPath(new URL('../../', import.meta.url));

let running: RunningApp;
let port = 0;

beforeAll(async () => {
  running = await startApp(`${app.origin}/cart`);
  port = running.port;
});

afterAll(async () => {
  await running.end();
  app.close();
});

const pagesOfApp = (): Promise<string[]> => running.pages();

function project(document: unknown, files: Record<string, unknown> = {}): Project {
  const testProject = cliProject({ 'package.json': {}, 'a.recipe.json': document, ...files });
  symlinkSync(join(root, 'node_modules'), join(testProject.dir, 'node_modules'));
  return testProject;
}

const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];
const see: Node = { action: 'ui.wait_for', text: 'Cart', timeout_ms: 60_000 };
const status: Node = { action: 'app.status' };
const summaryIn = ({ dir }: Project): Record<string, unknown> => JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'));

describe('attaching to a running app', () => {
  test('run --cdp-port attaches to a running app and leaves it running', async () => {
    const testProject = project(recipe({ see, status }));
    expect(await testProject.run(...run, '--cdp-port', String(port))).toMatchObject({ exitCode: 0 });
    expect(summaryIn(testProject)).toMatchObject({ status: 'pass' });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
    expect(running.child.exitCode).toBeNull();
  });

  test('run --input cdp_port attaches to a running app', async () => {
    const testProject = project(recipe({ see }));
    expect(await testProject.run(...run, '--input', `cdp_port=${port}`)).toMatchObject({ exitCode: 0 });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  test('"browser.cdpPort" in the config attaches to a running app', async () => {
    const config = `export default { browser: { cdpPort: ${port}, page: '/cart' } };`;
    const testProject = project(recipe({ see }), { 'recipewright.config.mjs': config });
    expect(await testProject.run(...run)).toMatchObject({ exitCode: 0 });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  test('a recipe can read the port of the attached app as {{cdp_port}}', async () => {
    const say: Node = { action: 'command', argv: ['node', '-p', '"port " + process.argv[1]', '{{cdp_port}}'] };
    const hear: Node = { action: 'assert_output', source: 'say', contains: `port ${port}` };
    const testProject = project(recipe({ see, say, hear }));
    expect(await testProject.run(...run, '--cdp-port', String(port))).toMatchObject({ exitCode: 0 });
  });

  test('a run resets all settings that it changed in an attached app', async () => {
    const nodes = {
      dark: { action: 'cdp.emulation', color_scheme: 'dark', viewport: { width: 333, height: 444 }, timezone: 'Asia/Tokyo' },
      tunnel: { action: 'cdp.network', mode: 'throttle', latency_ms: 2_000 },
      block: { action: 'cdp.network', mode: 'block', url: '/api/' },
      off: { action: 'cdp.network', mode: 'offline' },
      trace: { action: 'cdp.trace', mode: 'start' },
      see,
    };
    const before = await readAppState();
    expect(before).not.toMatchObject({ width: 333 });
    // The second run must not be affected by the first one, for example by its open trace.
    for (const testProject of [project(recipe(nodes)), project(recipe(nodes))])
      expect(await testProject.run(...run, '--cdp-port', String(port))).toMatchObject({ exitCode: 0 });
    expect(await readAppState()).toEqual(before);
  });

  /** Reads the state of the app over a separate connection. */
  async function readAppState(): Promise<unknown> {
    const { chromium } = await import('@playwright/test');
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    const page = browser.contexts()[0]?.pages()[0];
    const state = await page?.evaluate(`(async () => ({
      width: innerWidth, online: navigator.onLine, zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      dark: matchMedia('(prefers-color-scheme: dark)').matches, status: (await fetch('/api/ok')).status,
    }))()`);
    await browser.close();
    return state;
  }

  test('a run never closes an attached app', async () => {
    const testProject = project(recipe({ end: { action: 'app.lifecycle', command: 'terminate' }, see }));
    expect((await testProject.run(...run, '--cdp-port', String(port))).exitCode).toBe(3);
    expect(String(summaryIn(testProject).reason)).toContain('cannot terminate an app that was running before');
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  const lifecycle = (command: string): Node => ({ action: 'app.lifecycle', command, timeout_ms: 60_000 });
  const seeText = (text: string): Node => ({ ...see, text });
  const shop: Node = { action: 'ui.navigate', url: '/' };

  test('app.lifecycle back in an attached app fails without a previous page', async () => {
    const testProject = project(recipe({ back: lifecycle('back'), see }));
    expect(await testProject.run(...run, '--cdp-port', String(port))).toMatchObject({ exitCode: 1 });
    expect(String(summaryIn(testProject).reason)).toContain('There is no page to go back to');
  });

  // Playwright starts its browsers without the back/forward cache. An attached app has one.
  test('app.lifecycle back in an attached app works for a page from the back/forward cache', async () => {
    const testProject = project(
      recipe(
        { see, gone: { ...see, text: 'Shop', expected: 'absent', initial: true } },
        {
          setup: [
            ...[shop, seeText('Shop'), lifecycle('back'), see, { action: 'ui.wait_for', event: 'load' }],
            ...[lifecycle('reload'), see, lifecycle('background'), lifecycle('foreground')],
            ...[shop, seeText('Shop'), lifecycle('back')],
          ],
        },
      ),
    );
    app.requests.length = 0;
    const ran = await testProject.run(...run, '--cdp-port', String(port));
    expect([ran.exitCode, summaryIn(testProject).status]).toEqual([0, 'pass']);
    // Going back causes no request, because the page comes from the cache.
    expect(app.requests.filter((each) => each !== '/favicon.ico')).toEqual(['/', '/cart', '/']);
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  test('a stopped run leaves an attached app running', async () => {
    const testProject = project(recipe({ wait: { ...see, text: 'Nothing like it', timeout_ms: 3_600_000 } }));
    const { child, ended, sees } = testProject.start(...run, '--cdp-port', String(port));
    await sees('RUN 1/2');
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(143);
    expect(summaryIn(testProject)).toMatchObject({ status: 'unknown', signal: 'SIGTERM' });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  test('runRecipe with "browser.cdpPort" attaches to a running app', async () => {
    const dir = join(project({}).dir, 'out');
    const result = await runRecipe(recipe({ see }), { artifactsDir: dir, projectRoot: root, browser: { cdpPort: port } });
    expect(result).toMatchObject({ ran: true, verdict: 'pass', exitCode: 0 });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });
});

// Electron apps open their windows from file URLs.
test('run --cdp-port attaches to an app with a file URL', async () => {
  const testProject = project(recipe({ see }), { 'app.html': '<title>Files</title><h1>Cart</h1>' });
  const files = await startApp(`file://${join(testProject.dir, 'app.html')}`);
  try {
    expect(await testProject.run(...run, '--cdp-port', String(files.port))).toMatchObject({ exitCode: 0 });
    expect(files.child.exitCode).toBeNull();
  } finally {
    await files.end();
  }
});

describe('failing to attach to an app', () => {
  test('run --cdp-port names the port when no app listens there, and explains how to start the app', async () => {
    const testProject = project(recipe({ see }));
    const { exitCode, stderr } = await testProject.run(...run, '--cdp-port', '1');
    expect([exitCode, existsSync(join(testProject.dir, 'out'))]).toEqual([3, false]);
    expect(stderr).toMatch(/run\.not_attached .*port 1: .*--remote-debugging-port=1/s);
  });

  test('run --cdp-port fails when another server listens at the port', async () => {
    const { exitCode, stderr } = await project(recipe({ see })).run(...run, '--cdp-port', String(app.port));
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.not_attached/);
  });

  test('an app without the page in "browser.page" fails the run with the list of open pages', async () => {
    const config = `export default { browser: { cdpPort: ${port}, page: 'checkout' } };`;
    const { exitCode, stderr } = await project(recipe({ see }), { 'recipewright.config.mjs': config }).run(...run);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(new RegExp(`run\\.no_page .*"checkout".*Open pages: ${app.origin}/cart`, 's'));
  });
});
