// Runs with a browser that end early: because of a signal, or because the browser dies.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../src/system/browsers.js';
import { appearance } from '../support/processProbe.js';
import { type Node, recipe } from '../support/recipe.js';
import { serveApp } from './appServer.js';
import { browsersOf, expectNoBrowserLeft, plainProject, run, summaryIn } from './plainProject.js';

const app = await serveApp();
afterAll(() => app.close());

const runOnApp = [...run, '--base-url', app.origin];
const open = { action: 'ui.navigate', url: '/cart' };
const wait: Node = { action: 'ui.wait_for', text: 'Nothing like it', timeout_ms: 60_000 };

describe('a run with a browser', () => {
  test.for([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('after %s, a run completes its package and leaves no process or file of the browser', async ([signal, code]) => {
    const project = plainProject(recipe({ open, wait }));
    const { child, ended, sees } = project.start(...runOnApp);
    await sees('RUN 2/3');
    child.kill(signal);
    expect((await ended).exitCode).toBe(code);
    expect(summaryIn(project)).toMatchObject({ status: 'unknown', signal });
    expectNoBrowserLeft(project);
  });

  test('after SIGTERM, a run executes its teardown in the page', async () => {
    const project = plainProject(recipe({ open, wait }, { teardown: [{ action: 'ui.navigate', url: '/?torn-down' }] }));
    const { child, ended, sees } = project.start(...runOnApp);
    await sees('RUN 2/');
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(143);
    expect(app.requests).toContain('/?torn-down');
    expectNoBrowserLeft(project);
  });

  test('a run that gets a signal while the browser starts ends without a package', async () => {
    const project = plainProject(recipe({ open, wait }));
    const slow = `#!/bin/sh\ntouch started\nuntil [ -e go-on ]; do sleep 0.05; done\nexec ${findChromium()?.executablePath} "$@"\n`;
    writeFileSync(join(project.dir, 'slow-browser'), slow, { mode: 0o755 });
    const { child, ended } = project.start(...runOnApp, '--browser', 'slow-browser');
    await appearance(join(project.dir, 'started'));
    child.kill('SIGTERM');
    writeFileSync(join(project.dir, 'go-on'), '');
    const { exitCode, stderr } = await ended;
    expect([exitCode, existsSync(join(project.dir, 'out'))]).toEqual([143, false]);
    expect(stderr).toMatch(/run\.interrupted .*SIGTERM arrived before the browser had started/s);
    expectNoBrowserLeft(project);
  });

  test('a run whose browser dies is unknown, with the environment as the cause', async () => {
    const project = plainProject(recipe({ open, wait }));
    const { ended, sees } = project.start(...runOnApp);
    await sees('RUN 2/3');
    process.kill(browsersOf(project)[0] ?? 0, 'SIGKILL');
    expect((await ended).exitCode).toBe(3);
    expect(summaryIn(project)).toMatchObject({ status: 'unknown', cause_class: 'environment' });
    expectNoBrowserLeft(project);
  });
});
