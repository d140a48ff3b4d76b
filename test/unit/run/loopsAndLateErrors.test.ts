// Regions, flows, and errors that no action awaits.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../src/registry/setup.js';
import { type Clock, systemClock } from '../../../src/system/clock.js';
import { cliProject } from '../../support/cli.js';
import { ownAction } from '../../support/ownSetup.js';
import { type Nodes, recipeOf, withIntents } from '../../support/plain.js';
import { plainSetup } from '../../support/plainSetup.js';
import { runExtended } from '../../support/runExtended.js';

const command = (cmd: string, rest: object = {}) => ({ action: 'command', cmd, next: 'done', ...rest });
const flowOf = (nodes: Nodes, rest: object = {}) => {
  const workflow = { entry: Object.keys(nodes)[0], nodes: { ...withIntents(nodes), ok: { action: 'end', status: 'pass' } } };
  return { version: 1, description: 'Runs some nodes', ...rest, workflow };
};

describe('regions and flows', () => {
  test('R1 rw.each has one result for each item, also when the last items are skipped', async () => {
    const one = { action: 'command', argv: ['echo', 'x'], when: { source: 'item', operator: 'neq', value: 'c' } };
    const { trace } = await runExtended(
      recipeOf({ all: { action: 'rw.each', items: ['a', 'b', 'c'], body: { nodes: withIntents({ one }) }, next: 'done' } }),
    );
    expect(trace.find(({ nodeId }) => nodeId === 'all')?.output).toMatchObject({ items: [{}, {}, null] });
  });

  test('R2 F9 the error of a loop inside a flow names the cycle', async () => {
    const read = { action: 'state_read', source: 'inputs', path: '$.x', next: 'b' };
    const b = {
      action: 'switch',
      cases: [{ when: { source: 'inputs', path: '$.x', operator: 'eq', value: 1 }, next: 'a' }],
      default: 'ok',
    };
    const flows = { 'f.loop': flowOf({ a: read, b }) };
    const { summary } = await runExtended(
      recipeOf({ call: { action: 'call', ref: 'f.loop', next: 'done' } }, { flows, inputs: { x: 1 } }),
    );
    expect(summary.reason).toContain('a → b → a');
  });

  test('R3 F10 calls that nest nine deep are refused, also after a call of the same flows at a lower depth', async () => {
    const call = (n: number, next = 'ok') => ({ action: 'call', ref: `d.f${n}`, next });
    const flows = Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [`d.f${n}`, flowOf({ go: n < 9 ? call(n + 1) : command('true', { next: 'ok' }) })]),
    );
    expect((await runExtended(recipeOf({ a: call(2, 'b'), b: call(1, 'done') }, { flows }))).refused).toEqual([
      'flow.call_depth',
    ]);
  });

  test('R4 watch_logs in a flow searches everything since the run began when its path is a param', async () => {
    const watch = { action: 'watch_logs', path: '{{params.log}}', contains: 'paid', timeout_ms: 60_000, next: 'ok' };
    const flows = { 'f.watch': flowOf({ watch }, { paramsSchema: { properties: { log: { type: 'string' } } } }) };
    const nodes = {
      a: command('echo paid >> app.log', { next: 'c' }),
      c: { action: 'call', ref: 'f.watch', params: { log: 'app.log' }, next: 'done' },
    };
    expect((await runExtended(recipeOf(nodes, { flows }))).summary.status).toBe('pass');
  });

  test('R5 watch_logs polls until its timeout, however short the timeout is', async () => {
    let [now, root] = [0, ''];
    // The clock advances only while watch_logs pauses, and the line appears during its last pause.
    const clock: Clock = {
      ...systemClock,
      now: () => now,
      after(ms, then) {
        if (ms > 100) return () => undefined;
        const timer = setImmediate(() => {
          now += ms;
          if (now > 200) writeFileSync(join(root, 'app.log'), 'paid');
          then();
        });
        return () => clearImmediate(timer);
      },
    };
    const where = ownAction('shop.where', (_, { projectRoot }) => {
      root = projectRoot;
      return {};
    });
    const nodes = {
      w: { action: 'shop.where', next: 'l' },
      l: { action: 'watch_logs', path: 'app.log', contains: 'paid', timeout_ms: 290, next: 'done' },
    };
    const { summary } = await runExtended(recipeOf(nodes), { clock, setup: defineSetup({ actions: [where] }) });
    expect([summary.status, now > 200 && now < 290]).toEqual(['pass', true]);
  });
});

describe('the command line', () => {
  const setup = plainSetup({
    'lost.soon': "void new Promise((_, no) => setTimeout(() => no(new Error('late')), 50)); return { output: {} };",
    'lost.later': "void new Promise((_, no) => setTimeout(() => no(new Error('late')), 700)); return { output: {} };",
    'lost.timer': 'setInterval(() => undefined, 1_000); return { output: {} };',
  });
  const args = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', '--setup', 'setup.mjs'];
  const teardown = [{ action: 'command', intent: 'Clean up after all', cmd: 'touch cleaned' }];
  const project = (action: string) =>
    cliProject({
      'setup.mjs': setup,
      'a.recipe.json': recipeOf({ a: { action, next: 'b' }, b: command('sleep 0.3') }, { workflow: { teardown } }),
    });
  const summaryIn = (dir: string) => JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'));

  test('L1 F54 a run with an unhandled rejection runs teardown, writes the package and exits with 4', async () => {
    const { dir, run } = project('lost.soon');
    expect((await run(...args)).exitCode).toBe(4);
    expect(summaryIn(dir)).toMatchObject({ status: 'unknown', cause_class: 'harness' });
    expect(existsSync(join(dir, 'cleaned'))).toBe(true);
  });

  test('L2 F55 the exit code agrees with the summary also when an error comes after the run', async () => {
    const { dir, run } = project('lost.later');
    expect((await run(...args)).exitCode === 0).toBe(summaryIn(dir).status === 'pass');
  });

  test('L3 the process exits after the run although an action left a timer', async () => {
    expect(await project('lost.timer').run(...args)).toMatchObject({ exitCode: 0 });
  });

  test('T1 F25 a signal during a long teardown ends the run soon, and the package is complete', async () => {
    const slow = recipeOf(
      { a: command('true') },
      { workflow: { teardown: [{ action: 'command', intent: 'Clean up slowly', cmd: 'sleep 3600' }] } },
    );
    const { dir, start } = cliProject({ 'a.recipe.json': slow });
    const { child, ended, sees } = start('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out');
    await sees('RUN 3/3');
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(143);
    expect(summaryIn(dir).reason).not.toMatch(/\d\.\d+ ms/);
  });
});
