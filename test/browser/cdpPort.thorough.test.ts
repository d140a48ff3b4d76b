// `cdp.*` over the debugging port of an app, in a project that has no Playwright: the same outcome as with it.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliProject, type Project } from '../support/cli.js';
import { type Node, recipe } from '../support/recipe.js';
import { type RunningApp, startApp } from '../support/runningApp.js';
import { allNodes, doing, looks, network, read, serveCdpSite, tries } from './cdpSite.js';

const site = await serveCdpSite();
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

const all = allNodes(site);

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

describe('cdp actions over the port alone', () => {
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
      issues: [{ nodeId: 'claim', message: expect.stringContaining('There is no screenshot') as string }],
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
    const made = project({ wait: { action: 'cdp.target', title: 'Nothing like it', timeout_ms: 3_600_000 } });
    const { ended, sees } = made.start(...atPort(dying));
    await sees('RUN 1/2');
    await dying.end();
    expect((await ended).exitCode).toBe(3);
    expect(fileIn(made, 'summary.json')).toMatchObject({ status: 'unknown' });
  });
});
