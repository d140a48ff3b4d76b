// `recipewright run --cdp-port`: an app that runs already is used and goes on afterwards as it went on before.
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
  const made = cliProject({ 'package.json': {}, 'a.recipe.json': document, ...files });
  symlinkSync(join(root, 'node_modules'), join(made.dir, 'node_modules'));
  return made;
}

const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];
const see: Node = { action: 'ui.wait_for', text: 'Cart', timeout_ms: 60_000 };
const status: Node = { action: 'app.status' };
const summaryIn = ({ dir }: Project): Record<string, unknown> => JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'));

describe('an app that runs already', () => {
  test('is attached to by --cdp-port and still there afterwards', async () => {
    const made = project(recipe({ see, status }));
    expect(await made.run(...run, '--cdp-port', String(port))).toMatchObject({ exitCode: 0 });
    expect(summaryIn(made)).toMatchObject({ status: 'pass' });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
    expect(running.child.exitCode).toBeNull();
  });

  test('is attached to by --input cdp_port', async () => {
    const made = project(recipe({ see }));
    expect(await made.run(...run, '--input', `cdp_port=${port}`)).toMatchObject({ exitCode: 0 });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  test('is attached to by the config', async () => {
    const config = `export default { browser: { cdpPort: ${port}, page: '/cart' } };`;
    const made = project(recipe({ see }), { 'recipewright.config.mjs': config });
    expect(await made.run(...run)).toMatchObject({ exitCode: 0 });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  test('is known to the recipe by its port', async () => {
    const say: Node = { action: 'command', argv: ['node', '-p', '"port " + process.argv[1]', '{{cdp_port}}'] };
    const hear: Node = { action: 'assert_output', source: 'say', contains: `port ${port}` };
    const made = project(recipe({ see, say, hear }));
    expect(await made.run(...run, '--cdp-port', String(port))).toMatchObject({ exitCode: 0 });
  });

  test('is given back as it was, whatever was switched on', async () => {
    const nodes = {
      dark: { action: 'cdp.emulation', color_scheme: 'dark', viewport: { width: 333, height: 444 }, timezone: 'Asia/Tokyo' },
      tunnel: { action: 'cdp.network', mode: 'throttle', latency_ms: 2_000 },
      block: { action: 'cdp.network', mode: 'block', url: '/api/' },
      off: { action: 'cdp.network', mode: 'offline' },
      trace: { action: 'cdp.trace', mode: 'start' },
      see,
    };
    const before = await looks();
    expect(before).not.toMatchObject({ width: 333 });
    // The second run meets nothing of the first, not even its trace.
    for (const made of [project(recipe(nodes)), project(recipe(nodes))])
      expect(await made.run(...run, '--cdp-port', String(port))).toMatchObject({ exitCode: 0 });
    expect(await looks()).toEqual(before);
  });

  /** How the app finds itself, asked over a connection of its own. */
  async function looks(): Promise<unknown> {
    const { chromium } = await import('@playwright/test');
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    const page = browser.contexts()[0]?.pages()[0];
    const seen = await page?.evaluate(`(async () => ({
      width: innerWidth, online: navigator.onLine, zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      dark: matchMedia('(prefers-color-scheme: dark)').matches, status: (await fetch('/api/ok')).status,
    }))()`);
    await browser.close();
    return seen;
  }

  test('is never closed, and says so', async () => {
    const made = project(recipe({ end: { action: 'app.lifecycle', command: 'terminate' }, see }));
    expect((await made.run(...run, '--cdp-port', String(port))).exitCode).toBe(3);
    expect(String(summaryIn(made).reason)).toContain('never closed');
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  const lifecycle = (command: string): Node => ({ action: 'app.lifecycle', command, timeout_ms: 60_000 });
  const sees = (text: string): Node => ({ ...see, text });
  const shop: Node = { action: 'ui.navigate', url: '/' };

  test('says when there is nothing to go back to', async () => {
    const made = project(recipe({ back: lifecycle('back'), see }));
    expect(await made.run(...run, '--cdp-port', String(port))).toMatchObject({ exitCode: 1 });
    expect(String(summaryIn(made).reason)).toContain('There is no page to go back to');
  });

  // Playwright starts its browsers without the cache that keeps pages whole when they are left; an app has it.
  test('goes back to a page that was kept when it was left, and on from there', async () => {
    const made = project(
      recipe(
        { see, gone: { ...see, text: 'Shop', expected: 'absent', initial: true } },
        {
          setup: [
            ...[shop, sees('Shop'), lifecycle('back'), see, { action: 'ui.wait_for', event: 'load' }],
            ...[lifecycle('reload'), see, lifecycle('background'), lifecycle('foreground')],
            ...[shop, sees('Shop'), lifecycle('back')],
          ],
        },
      ),
    );
    app.asked.length = 0;
    const ran = await made.run(...run, '--cdp-port', String(port));
    expect([ran.exitCode, summaryIn(made).status]).toEqual([0, 'pass']);
    // It was asked for no page that was gone back to.
    expect(app.asked.filter((each) => each !== '/favicon.ico')).toEqual(['/', '/cart', '/']);
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  test('is left alone by a run that is stopped', async () => {
    const made = project(recipe({ wait: { ...see, text: 'Nothing like it', timeout_ms: 3_600_000 } }));
    const { child, ended, sees } = made.start(...run, '--cdp-port', String(port));
    await sees('RUN 1/2');
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(143);
    expect(summaryIn(made)).toMatchObject({ status: 'unknown', signal: 'SIGTERM' });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });

  test('serves a program by runRecipe', async () => {
    const dir = join(project({}).dir, 'out');
    const result = await runRecipe(recipe({ see }), { artifactsDir: dir, projectRoot: root, browser: { cdpPort: port } });
    expect(result).toMatchObject({ ran: true, verdict: 'pass', exitCode: 0 });
    expect(await pagesOfApp()).toEqual([`${app.origin}/cart`]);
  });
});

// Electron opens its windows like this.
test('an app made of files is attached to as well', async () => {
  const made = project(recipe({ see }), { 'app.html': '<title>Files</title><h1>Cart</h1>' });
  const files = await startApp(`file://${join(made.dir, 'app.html')}`);
  try {
    expect(await made.run(...run, '--cdp-port', String(files.port))).toMatchObject({ exitCode: 0 });
    expect(files.child.exitCode).toBeNull();
  } finally {
    await files.end();
  }
});

describe('an app that cannot be attached to', () => {
  test('is told of by its port, with what to do', async () => {
    const made = project(recipe({ see }));
    const { exitCode, stderr } = await made.run(...run, '--cdp-port', '1');
    expect([exitCode, existsSync(join(made.dir, 'out'))]).toEqual([3, false]);
    expect(stderr).toMatch(/run\.not_attached .*port 1: .*--remote-debugging-port=1/s);
  });

  test('is told apart from something else that listens there', async () => {
    const { exitCode, stderr } = await project(recipe({ see })).run(...run, '--cdp-port', String(app.port));
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.not_attached/);
  });

  test('has no page of that name, and says which are open', async () => {
    const config = `export default { browser: { cdpPort: ${port}, page: 'checkout' } };`;
    const { exitCode, stderr } = await project(recipe({ see }), { 'recipewright.config.mjs': config }).run(...run);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(new RegExp(`run\\.no_page .*"checkout".*Open pages: ${app.origin}/cart`, 's'));
  });
});
