// Time: a jump of the wall clock changes only time labels (F58), and teardown has its own time limit (F59).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../src/evidence/journal.js';
import { buildPackage } from '../../src/evidence/writePackage.js';
import { plainHost } from '../../src/hosts/plain/plainHost.js';
import { prepareRun } from '../../src/hosts/plain/prepareRun.js';
import { Session } from '../../src/run/session.js';
import { type Clock, systemClock } from '../../src/system/clock.js';
import { cliProject } from '../support/cli.js';
import { eventDrivenClock, eventDrivenMs } from '../support/eventDrivenClock.js';
import { type Nodes, recipeOf } from '../support/plain.js';
import { runExtended } from '../support/runExtended.js';

const hourMs = 3_600_000;

/** A clock that advances by 1 ms with each reading. `jumps` returns the error of the wall clock at its n-th reading. */
function clockWith(jumps: (reading: number) => number): Clock {
  let [now, readings] = [0, 0];
  return {
    now: () => ++now,
    wall: () => new Date(Date.UTC(2026, 0, 1) + now + jumps(++readings)).toISOString(),
    after: () => () => undefined,
  };
}

const step = (next: string) => ({ action: 'state_read', source: 'inputs', path: '$.x', next });
const ids = Array.from({ length: 60 }, (_, index) => `n${index}`);
const long = recipeOf(Object.fromEntries(ids.map((id, index) => [id, step(ids[index + 1] ?? 'done')])), { inputs: { x: 1 } });

async function runBy(clock: Clock) {
  const ready = await prepareRun({ recipe: long, artifactsDir: 'unused', env: {} });
  if (!('loaded' in ready)) throw new Error(ready.findings[0]?.message);
  const journal: string[] = [];
  const host = plainHost(() => undefined, {}, ready.loaded.plan);
  const session = new Session({ ...ready, clock, host, journal: openJournal(clock, (line) => journal.push(line)) });
  await session.runGraph();
  await session.close();
  const { summary, trace } = buildPackage({ id: 'a', recipe: long, journal, findArtifact: () => undefined });
  const lines = journal.map((line) => JSON.parse(line) as { seq: number; path: string; ms?: number; at: string });
  return { summary, trace, lines };
}

describe('F58 a wall clock that jumps by an hour at 50 points', () => {
  const jumping = clockWith((reading) => (reading % 2 === 0 && reading <= 100 ? (reading % 4 === 0 ? hourMs : -hourMs) : 0));

  test('a wall clock that jumps changes neither the order nor the durations of a run', async () => {
    const [steady, jumped] = [await runBy(clockWith(() => 0)), await runBy(jumping)];
    const backwards = jumped.lines.filter(({ at }, index) => index > 0 && at < (jumped.lines[index - 1]?.at ?? ''));
    expect(backwards.length).toBeGreaterThanOrEqual(50);
    const orderAndDurations = ({ lines }: typeof steady) => lines.map(({ seq, path, ms }) => [seq, path, ms]);
    expect(orderAndDurations(jumped)).toEqual(orderAndDurations(steady));
    expect(jumped.lines.map(({ seq }) => seq)).toEqual(jumped.lines.map((_, index) => index));
    const entries = ({ trace }: typeof steady) => trace.map(({ nodeId, ok, durationMs }) => [nodeId, ok, durationMs]);
    expect(entries(jumped)).toEqual(entries(steady));
    expect(jumped.summary).toMatchObject({ status: 'pass', durationMs: steady.summary.durationMs, total: 61 });
    expect(jumped.trace.every(({ durationMs = -1 }) => durationMs >= 0)).toBe(true);
  });
});

describe('F59 teardown', () => {
  const note = (word: string, rest: object = {}) => ({
    action: 'command',
    intent: `Write down the word ${word}`,
    cmd: `echo ${word} >> log`,
    ...rest,
  });
  const down = [note('one'), note('two')];
  const budget = (teardownMs: number) => ({ 'recipewright.config.mjs': `export default { teardownMs: ${teardownMs} };` });
  const run = (nodes: Nodes, teardown: readonly object[], files = {}, clock = systemClock) =>
    runExtended(recipeOf(nodes, { workflow: { teardown } }), { files, clock });
  const passing = { a: note('graph', { next: 'done' }) };

  test('teardown runs after a failure, and the run still fails', async () => {
    const { summary, read } = await run({ a: note('graph', { cmd: 'exit 1', next: 'done' }) }, down);
    expect([summary.status, read('log')]).toEqual(['fail', 'one\ntwo\n']);
  });

  test('teardown runs after a timeout in the graph, with its own time limit', async () => {
    // The clock strikes as soon as the node runs. The timeout of the node is much longer than the time limit of the teardown.
    const slow = { a: note('graph', { cmd: 'echo x > begun; sleep 3600', timeout_ms: eventDrivenMs, next: 'done' }) };
    const { summary, read } = await run(
      slow,
      down,
      budget(600_000),
      eventDrivenClock(async () => undefined),
    );
    expect([summary.status, read('log')]).toEqual(['fail', 'one\ntwo\n']);
  });

  test('teardown runs after a signal, and the package is complete long before the command would end', async () => {
    const recipe = recipeOf({ a: note('graph', { cmd: 'sleep 3600', next: 'done' }) }, { workflow: { teardown: down } });
    const { dir, start } = cliProject({ 'a.recipe.json': recipe });
    const { child, ended, sees } = start('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out');
    await sees('RUN 1/');
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(143);
    expect(readFileSync(join(dir, 'log'), 'utf8')).toBe('one\ntwo\n');
    expect(JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'))).toMatchObject({
      status: 'unknown',
      signal: 'SIGTERM',
    });
  });

  test('a failed teardown node fails the run, and the other teardown nodes run', async () => {
    const { summary, read } = await run(passing, [note('one', { cmd: 'exit 7' }), note('two')]);
    expect([summary.status, read('log')]).toEqual(['fail', 'graph\ntwo\n']);
  });

  test('a teardown node that times out fails the run, and the next teardown node runs', async () => {
    const { summary, read, trace } = await run(passing, [note('one', { cmd: 'sleep 3600', timeout_ms: 300 }), note('two')]);
    expect([summary.status, read('log')]).toEqual(['fail', 'graph\ntwo\n']);
    expect(trace[2]?.error).toContain('did not finish within 300 ms');
  });

  test('a teardown that ignores signals is abandoned at its time limit, and the run does not pass', async () => {
    const { summary, exitCode } = await run(
      passing,
      [note('one', { cmd: "trap '' TERM; sleep 3600 & wait; sleep 3600" })],
      budget(500),
    );
    expect(summary.status).not.toBe('pass');
    expect(exitCode).not.toBe(0);
    expect(summary.reason).toContain('teardown took more than 500 ms');
  });
});
