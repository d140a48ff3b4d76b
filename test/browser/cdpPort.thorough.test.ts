// cdp actions over the debugging port of an app, in a project without Playwright, have the same results as with Playwright.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliProject, type Project } from '../support/cli.js';
import { type Node, recipe } from '../support/recipe.js';
import { type RunningApp, startApp } from '../support/runningApp.js';
import { allNodes, execute, fetchAndStore, network, read, serveCdpSite, storeState } from './cdpSite.js';

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
  const testProject = cliProject({ 'package.json': {}, 'a.recipe.json': recipe(nodes), ...files });
  if (playwright) symlinkSync(modules, join(testProject.dir, 'node_modules'));
  return testProject;
}

const fileIn = ({ dir }: Project, name: string) => JSON.parse(readFileSync(join(dir, 'out', name), 'utf8'));

type Entry = { nodeId: string; output?: Record<string, unknown> };

/** The output of each node, without values that differ between runs. */
function outputs(testProject: Project): Record<string, unknown> {
  const entries = (fileIn(testProject, 'trace.json') as Entry[]).map(({ nodeId: id, output }): [string, unknown] => {
    const { events, bytes, metrics, ...rest } = output ?? {};
    // The numbers of events, bytes and metrics differ between runs.
    return [id, { ...rest, isTraced: Number(events) > 0, metrics: Object.keys(metrics ?? {}) }];
  });
  return Object.fromEntries(entries);
}

type Har = { log: { entries: { request: { headers: unknown } & object; response: object; _resourceType: string }[] } };

function har(testProject: Project): unknown {
  const { log } = fileIn(testProject, 'network/stop.har') as Har;
  return log.entries.map(({ request, response, _resourceType }) => {
    const text = JSON.stringify({ request, response, _resourceType });
    return JSON.parse(text.replaceAll(/"name":"date","value":"[^"]*"/gi, '"name":"date"'));
  });
}

const atPort = ({ port }: RunningApp): string[] => [...run, '--cdp-port', String(port)];

describe('cdp actions over the port alone', () => {
  test('cdp actions without Playwright have the same outputs as with Playwright, and leave the app as it was', async () => {
    const other = await start();
    const [withPlaywright, withoutPlaywright] = [project(all, { playwright: true }), project(all)];
    const results = [await withPlaywright.run(...atPort(other)), await withoutPlaywright.run(...atPort(app))];
    await other.end();
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(existsSync(join(withoutPlaywright.dir, 'node_modules'))).toBe(false);
    expect(outputs(withoutPlaywright)).toEqual(outputs(withPlaywright));
    expect(har(withoutPlaywright)).toEqual(har(withPlaywright));
    expect(outputs(withoutPlaywright)).toMatchObject({ unblock: { refused: 1 }, 'blocked-came': { value: 'Failed to fetch' } });
    expect(await app.pages()).toEqual([`${site.origin}/app`]);
    expect(app.child.exitCode).toBeNull();
  });

  test('a run without Playwright resets all settings that its cdp actions changed', async () => {
    const changes = { dark: all.emulate as Node, off: network('offline'), block: network('block', { url: '/' }) };
    const readState = {
      ...execute('after', `${storeState}; ${fetchAndStore('/api/ok')}`),
      looks: read('looks'),
      came: read('came'),
      last: all.last as Node,
    };
    const before = project(readState);
    await before.run(...atPort(app));
    expect(await project({ ...changes, last: all.last as Node }).run(...atPort(app))).toMatchObject({ exitCode: 0 });
    const after = project(readState);
    await after.run(...atPort(app));
    expect(outputs(after)).toEqual(outputs(before));
    expect(outputs(after)).toMatchObject({ looks: { json: { dark: false, online: true } }, came: { value: '200' } });
  });

  test('a visible claim without Playwright has no screenshot and is not proven', async () => {
    const claim: Node = {
      ...{ ...read('nothing-there'), proofTarget: 'AC1', record: 'proof_window' },
      assert: { path: '$.found', operator: 'eq', value: false },
    };
    const testProject = cliProject({
      'package.json': {},
      'a.recipe.json': recipe({ begin: all.begin as Node, claim }, { targets: ['AC1'] }),
    });
    expect((await testProject.run(...atPort(app))).exitCode).toBe(1);
    expect(fileIn(testProject, 'summary.json')).toMatchObject({
      status: 'unknown',
      proof: [{ id: 'AC1', status: 'unproven', held: 1, reason: 'it is visible in the UI, but no artifact shows it' }],
      issues: [{ nodeId: 'claim', message: expect.stringContaining('There is no screenshot') as string }],
    });
  });

  test('a node that needs more than the debugging port is refused without Playwright', async () => {
    const testProject = project({ ...all, see: { action: 'ui.wait_for', text: 'App' } });
    const { exitCode, stderr } = await testProject.run(...atPort(app));
    expect([exitCode, existsSync(join(testProject.dir, 'out'))]).toEqual([3, false]);
    expect(stderr).toMatch(/run\.no_playwright .*ui\.wait_for needs a browser.*npm install --save-dev @playwright\/test/s);
  });

  test('cdp actions without Playwright and without --cdp-port are refused', async () => {
    const { exitCode, stderr } = await project({ last: all.last as Node }).run(...run);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.no_playwright .*--cdp-port/s);
  });

  test('a run without Playwright fails when no app listens at the port', async () => {
    for (const port of ['1', new URL(site.origin).port]) {
      const { exitCode, stderr } = await project({ last: all.last as Node }).run(...run, '--cdp-port', port);
      expect(exitCode).toBe(3);
      expect(stderr).toMatch(new RegExp(`run\\.not_attached .*port ${port}`, 's'));
    }
  });

  test('a run without Playwright is unknown when the app dies', async () => {
    const dying = await start();
    const testProject = project({ wait: { action: 'cdp.target', title: 'Nothing like it', timeout_ms: 3_600_000 } });
    const { ended, sees } = testProject.start(...atPort(dying));
    await sees('RUN 1/2');
    await dying.end();
    expect((await ended).exitCode).toBe(3);
    expect(fileIn(testProject, 'summary.json')).toMatchObject({ status: 'unknown' });
  });
});
