// How a run with a browser ends before its end: by a signal, or because the browser does.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../src/system/browsers.js';
import { appearance } from '../support/processProbe.js';
import { type Node, recipe } from '../support/recipe.js';
import { serveApp } from './appServer.js';
import { browsersOf, expectGone, plainProject, run, summaryIn } from './plainProject.js';

const app = await serveApp();
afterAll(() => app.close());

const here = [...run, '--base-url', app.origin];
const open = { action: 'ui.navigate', url: '/cart' };
const wait: Node = { action: 'ui.wait_for', text: 'Nothing like it', timeout_ms: 60_000 };

describe('a run with a browser', () => {
  test.for([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('finishes its package after %s, and leaves nothing of the browser', async ([signal, code]) => {
    const made = plainProject(recipe({ open, wait }));
    const { child, ended, sees } = made.start(...here);
    await sees('RUN 2/3');
    child.kill(signal);
    expect((await ended).exitCode).toBe(code);
    expect(summaryIn(made)).toMatchObject({ status: 'unknown', signal });
    expectGone(made);
  });

  test('still tears down in the page after SIGTERM', async () => {
    const made = plainProject(recipe({ open, wait }, { teardown: [{ action: 'ui.navigate', url: '/?torn-down' }] }));
    const { child, ended, sees } = made.start(...here);
    await sees('RUN 2/');
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(143);
    expect(app.requests).toContain('/?torn-down');
    expectGone(made);
  });

  test('ends while the browser is still starting, without a package', async () => {
    const made = plainProject(recipe({ open, wait }));
    const slow = `#!/bin/sh\ntouch started\nuntil [ -e go-on ]; do sleep 0.05; done\nexec ${findChromium()?.executablePath} "$@"\n`;
    writeFileSync(join(made.dir, 'slow-browser'), slow, { mode: 0o755 });
    const { child, ended } = made.start(...here, '--browser', 'slow-browser');
    await appearance(join(made.dir, 'started'));
    child.kill('SIGTERM');
    writeFileSync(join(made.dir, 'go-on'), '');
    const { exitCode, stderr } = await ended;
    expect([exitCode, existsSync(join(made.dir, 'out'))]).toEqual([143, false]);
    expect(stderr).toMatch(/run\.interrupted .*SIGTERM arrived before the browser had started/s);
    expectGone(made);
  });

  test('is unknown when the browser dies, and says so', async () => {
    const made = plainProject(recipe({ open, wait }));
    const { ended, sees } = made.start(...here);
    await sees('RUN 2/3');
    process.kill(browsersOf(made)[0] ?? 0, 'SIGKILL');
    expect((await ended).exitCode).toBe(3);
    expect(summaryIn(made)).toMatchObject({ status: 'unknown', cause_class: 'environment' });
    expectGone(made);
  });
});
