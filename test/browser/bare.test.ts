// `cdp.*` over the debugging port of an app, in a project that has no Playwright: the same outcome as with it.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliProject, type Project } from '../support/cli.js';
import { type Node, recipe } from '../support/recipe.js';
import { type RunningApp, startApp } from '../support/runningApp.js';
import { serveBareSite } from './bareSite.js';

const site = await serveBareSite();
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const start = (): Promise<RunningApp> => startApp(`${site.origin}/app`, ['--disable-popup-blocking']);
let app: RunningApp;

beforeAll(async () => {
  app = await start();
});

afterAll(async () => {
  await app.end();
  site.close();
});

const network = (mode: string, fields: object = {}): Node => ({ action: 'cdp.network', mode, ...fields });
const storage = (mode: string, fields: object = {}): Node => ({ action: 'cdp.storage', mode, ...fields });

/** Lets the app do something, and waits until it says by its title that it is done. */
function doing(name: string, code: string): Record<string, Node> {
  const value = `${code}; document.title = 'did ${name}'`;
  return { [name]: storage('set', { key: 'todo', value }), [`${name}-done`]: { action: 'cdp.target', title: `did ${name}` } };
}

const looks = `localStorage.setItem('looks', JSON.stringify({
  width: innerWidth, dark: matchMedia('(prefers-color-scheme: dark)').matches, still: matchMedia('(prefers-reduced-motion: reduce)').matches,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone, locale: Intl.NumberFormat().resolvedOptions().locale,
  agent: navigator.userAgent, online: navigator.onLine,
}))`;
const place = `await new Promise((done) => navigator.geolocation.getCurrentPosition(
  ({ coords }) => done(localStorage.setItem('place', coords.latitude + ' ' + coords.longitude)),
  (error) => done(localStorage.setItem('place', error.message))))`;
const tries = (path: string): string =>
  `localStorage.setItem('came', await fetch('${path}').then((a) => a.status, (e) => e.message))`;
const read = (key: string): Node => storage('get', { key });

const all: Record<string, Node> = {
  begin: { action: 'cdp.target', url: '/app' },
  wipe: storage('clear'),
  observe: network('observe', { url: '/api/' }),
  ...doing(
    'asked',
    "await fetch('/api/moved'); await fetch('/api/ok?at=2', { method: 'POST', body: 'x' }); await fetch('/api/bad')",
  ),
  stop: network('stop'),
  block: network('block', { url: '/api/*' }),
  ...doing('blocked', tries('/api/ok')),
  'blocked-came': read('came'),
  unblock: network('restore'),
  slow: network('throttle', { latency_ms: 300 }),
  offline: network('offline'),
  ...doing('cut', `${tries('/api/ok')}; ${looks}`),
  'cut-came': read('came'),
  back: network('restore'),
  ...doing('again', tries('/api/ok')),
  'again-came': read('came'),
  emulate: {
    ...{ action: 'cdp.emulation', viewport: { width: 390, height: 844 }, color_scheme: 'dark', reduced_motion: 'reduce' },
    ...{ locale: 'de-DE', timezone: 'Asia/Tokyo', user_agent: 'Phone/1', cpu: 2, geolocation: { latitude: 52, longitude: 13 } },
  },
  ...doing('seen', `${looks}; ${place}`),
  'seen-looks': read('looks'),
  'seen-place': read('place'),
  plain: { action: 'cdp.emulation', mode: 'restore' },
  ...doing('itself', looks),
  'itself-looks': read('looks'),
  cookie: storage('set', { area: 'cookies', key: 'theme', value: 'dark' }),
  'cookie-read': storage('get', { area: 'cookies', key: 'theme' }),
  'cookie-hidden': storage('get', { area: 'cookies', key: 'sid' }),
  'cookie-drop': storage('remove', { area: 'cookies', key: 'theme' }),
  'cookie-clear': storage('clear', { area: 'cookies' }),
  'session-set': storage('set', { area: 'session', key: 'step', value: { at: 2 } }),
  'session-get': storage('get', { area: 'session' }),
  'session-drop': storage('remove', { area: 'session', key: 'step' }),
  inside: storage('get', { origin: site.other, key: 'inside' }),
  metrics: { action: 'cdp.metrics', names: ['Documents', 'Frames'] },
  trace: { action: 'cdp.trace', mode: 'start' },
  ...doing('traced', "performance.mark('here')"),
  'trace-kept': { action: 'cdp.trace', mode: 'stop' },
  dark: { action: 'cdp.emulation', color_scheme: 'dark' },
  ...doing('opened', "window.opened = open('/popup'); await new Promise((done) => { window.opened.onload = done; })"),
  popup: { action: 'cdp.target', role: 'popup' },
  home: { action: 'cdp.target', role: 'page' },
  ...doing('closed', "window.opened.close(); console.error('said aloud')"),
  last: { action: 'cdp.metrics', names: ['Documents'], assert: { path: '$.metrics.Documents', operator: 'gt', value: 0 } },
};

const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];

function project(nodes: Record<string, Node>, { playwright = false, files = {} } = {}): Project {
  const made = cliProject({ 'package.json': {}, 'a.recipe.json': recipe(nodes), ...files });
  if (playwright) symlinkSync(modules, join(made.dir, 'node_modules'));
  return made;
}

const fileIn = ({ dir }: Project, name: string) => JSON.parse(readFileSync(join(dir, 'out', name), 'utf8'));

type Entry = { nodeId: string; output?: Record<string, unknown> };

/** What each node gave, without what differs from one minute to the next. */
function outputs(made: Project): Record<string, unknown> {
  const told = (fileIn(made, 'trace.json') as Entry[]).map(({ nodeId: id, output }): [string, unknown] => {
    const { events, bytes, metrics, ...rest } = output ?? {};
    // How many there are is a matter of the moment.
    return [id, { ...rest, isTraced: Number(events) > 0, metrics: Object.keys(metrics ?? {}) }];
  });
  return Object.fromEntries(told);
}

type Har = { log: { entries: { request: { headers: unknown } & object; response: object; _resourceType: string }[] } };

function har(made: Project): unknown {
  const { log } = fileIn(made, 'network/stop.har') as Har;
  return log.entries.map(({ request, response, _resourceType }) => {
    const text = JSON.stringify({ request, response, _resourceType });
    return JSON.parse(text.replaceAll(/"name":"date","value":"[^"]*"/gi, '"name":"date"'));
  });
}

const atPort = ({ port }: RunningApp): string[] => [...run, '--cdp-port', String(port)];

describe('cdp actions over the port alone', { timeout: 120_000 }, () => {
  test('give what they give with Playwright, and leave the app as it was', async () => {
    const other = await start();
    const [withIt, without] = [project(all, { playwright: true }), project(all)];
    const ended = [await withIt.run(...atPort(other)), await without.run(...atPort(app))];
    await other.end();
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(existsSync(join(without.dir, 'node_modules'))).toBe(false);
    expect(outputs(without)).toEqual(outputs(withIt));
    expect(har(without)).toEqual(har(withIt));
    expect(outputs(without)).toMatchObject({ unblock: { refused: 1 }, 'blocked-came': { value: 'Failed to fetch' } });
    expect(await app.pages()).toEqual([`${site.origin}/app`]);
    expect(app.child.exitCode).toBeNull();
  });

  test('are taken back at the end, whatever was switched on', async () => {
    const ways = { dark: all.emulate as Node, off: network('offline'), block: network('block', { url: '/' }) };
    const seen = {
      ...doing('after', `${looks}; ${tries('/api/ok')}`),
      looks: read('looks'),
      came: read('came'),
      last: all.last as Node,
    };
    const before = project(seen);
    await before.run(...atPort(app));
    expect(await project({ ...ways, last: all.last as Node }).run(...atPort(app))).toMatchObject({ exitCode: 0 });
    const after = project(seen);
    await after.run(...atPort(app));
    expect(outputs(after)).toEqual(outputs(before));
    expect(outputs(after)).toMatchObject({ looks: { json: { dark: false, online: true } }, came: { value: '200' } });
  });

  test('say of a claim that there is no picture of it, and do not call it proven', async () => {
    const claim: Node = {
      ...{ ...read('nothing-there'), proofTarget: 'AC1', record: 'proof_window' },
      assert: { path: '$.found', operator: 'eq', value: false },
    };
    const made = cliProject({
      'package.json': {},
      'a.recipe.json': recipe({ begin: all.begin as Node, claim }, { targets: ['AC1'] }),
    });
    expect((await made.run(...atPort(app))).exitCode).toBe(1);
    expect(fileIn(made, 'summary.json')).toMatchObject({
      status: 'unknown',
      proof: [{ id: 'AC1', status: 'unproven', held: 1, reason: 'it is visible in the UI, but no artifact shows it' }],
      issues: [{ nodeId: 'claim', message: expect.stringContaining('There is no picture of this') as string }],
    });
  });

  test('need Playwright as soon as a node wants more than the port, and say which', async () => {
    const made = project({ ...all, see: { action: 'ui.wait_for', text: 'App' } });
    const { exitCode, stderr } = await made.run(...atPort(app));
    expect([exitCode, existsSync(join(made.dir, 'out'))]).toEqual([3, false]);
    expect(stderr).toMatch(/run\.no_playwright .*ui\.wait_for needs a browser.*npm install --save-dev @playwright\/test/s);
  });

  test('need a port, and say so', async () => {
    const { exitCode, stderr } = await project({ last: all.last as Node }).run(...run);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.no_playwright .*--cdp-port/s);
  });

  test('say so when nothing can be attached to', async () => {
    for (const port of ['1', new URL(site.origin).port]) {
      const { exitCode, stderr } = await project({ last: all.last as Node }).run(...run, '--cdp-port', port);
      expect(exitCode).toBe(3);
      expect(stderr).toMatch(new RegExp(`run\\.not_attached .*port ${port}`, 's'));
    }
  });

  test('are unknown, never a pass, when the app dies meanwhile', async () => {
    const dying = await start();
    const made = project({ wait: { action: 'cdp.target', title: 'Nothing like it', timeout_ms: 60_000 } });
    const { ended, sees } = made.start(...atPort(dying));
    await sees('RUN 1/2');
    await dying.end();
    expect((await ended).exitCode).toBe(3);
    expect(fileIn(made, 'summary.json')).toMatchObject({ status: 'unknown' });
  });
});
