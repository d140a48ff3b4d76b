// A run that a signal stops or kills is unknown, never passes, and names the node that was running.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { followJournal } from '../../src/evidence/journal.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { runCount, timeoutMs } from '../property/runCount.js';
import { cliProject } from '../support/cli.js';
import { recipeOf } from '../support/plain.js';
import { running } from '../support/processProbe.js';

const sleeping = recipeOf(
  { first: { action: 'command', cmd: 'echo one', next: 'nap' }, nap: { action: 'command', cmd: 'sleep 3600', next: 'done' } },
  { workflow: { teardown: [{ action: 'command', intent: 'Clean up after the nap', cmd: 'echo cleaned' }] } },
);
const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', '--json'];
const napping = 'RUN 2/4 Do what nap is there for';
const times = (usual: number, full: number): number[] =>
  Array.from({ length: runCount(usual, full).numRuns ?? usual }, (_, index) => index);
const jsonIn = (dir: string, name: string) => JSON.parse(readFileSync(join(dir, 'out', name), 'utf8'));
const packageFiles = ['recipe.json', 'summary.json', 'trace.json', 'artifact-manifest.json'];

describe('a run', () => {
  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'F25 a run that gets %s finishes its package, and exits with %i without waiting for its command',
    { timeout: timeoutMs },
    async ([signal, code]) => {
      for (const _ of times(1, 10)) {
        const { dir, start } = cliProject({ 'a.recipe.json': sleeping });
        const { child, ended, sees } = start(...run);
        await sees(napping);
        child.kill(signal);
        const { exitCode, stdout } = await ended;
        expect(exitCode).toBe(code);
        for (const name of packageFiles) expect(jsonIn(dir, name)).toBeTruthy();
        expect(JSON.parse(stdout).summary).toEqual(jsonIn(dir, 'summary.json'));
        expect(jsonIn(dir, 'summary.json')).toMatchObject({ status: 'unknown', cause_class: 'unknown', signal });
        const trace = jsonIn(dir, 'trace.json') as { nodeId: string; ok: boolean }[];
        expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
          ['first', true],
          ['nap', false],
          ['teardown:0', true],
        ]);
      }
    },
  );

  test('F25 an interrupted run whose processes ignore signals kills them and finishes its package', {
    timeout: timeoutMs,
  }, async () => {
    const nap = `sleep ${3_600 + process.pid}.5`;
    const stubborn = `trap '' TERM INT HUP; echo on; ${nap} & wait; ${nap}`;
    const recipe = recipeOf(
      { nap: { action: 'command', cmd: stubborn, next: 'done' } },
      { workflow: { teardown: [{ action: 'command', intent: 'Hang in the teardown as well', cmd: stubborn }] } },
    );
    const { dir, start } = cliProject({ 'a.recipe.json': recipe });
    const { child, ended, sees } = start(...run);
    await sees('RUN 1/3');
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(143);
    expect(jsonIn(dir, 'summary.json')).toMatchObject({ status: 'unknown', signal: 'SIGTERM' });
    if (process.platform === 'linux') expect(running(nap.replace(' ', '\0'))).toEqual([]);
  });

  test('F26 a second signal within a second counts as the first one', { timeout: timeoutMs }, async () => {
    for (const _ of times(1, 10)) {
      const { dir, start } = cliProject({ 'a.recipe.json': sleeping });
      const { child, ended, sees } = start(...run);
      await sees(napping);
      child.kill('SIGINT');
      child.kill('SIGINT');
      expect((await ended).exitCode).toBe(130);
      expect(jsonIn(dir, 'summary.json')).toMatchObject({ status: 'unknown', signal: 'SIGINT' });
      expect(verifyPackage(join(dir, 'out')).status).toBe('verified');
    }
  });

  test('F26 a later second signal ends the run at once, and its journal is intact', { timeout: timeoutMs }, async () => {
    const hanging = { action: 'command', intent: 'Hang in the teardown', cmd: `trap '' TERM INT; echo up; sleep 3600` };
    for (const _ of times(1, 10)) {
      const recipe = recipeOf(
        { nap: { action: 'command', cmd: `trap '' TERM INT; sleep 3600`, next: 'done' } },
        { workflow: { teardown: [hanging] } },
      );
      const { dir, start } = cliProject({ 'a.recipe.json': recipe });
      const { child, ended, sees } = start(...run);
      await sees('RUN 1/3');
      child.kill('SIGINT');
      // The teardown begins when the nap has been killed, about a second after the first signal. Signals within that second count as the first.
      await sees('RUN 2/3');
      const repeating = setInterval(() => child.kill('SIGINT'), 100);
      const { exitCode } = await ended;
      clearInterval(repeating);
      expect(exitCode).toBe(130);
      expect(existsSync(join(dir, 'out/summary.json'))).toBe(false);
      const { status, verdict } = verifyPackage(join(dir, 'out'));
      expect({ status, verdict }).toEqual({ status: 'incomplete', verdict: 'unknown' });
    }
  });

  test('F24 a run that is killed at any moment loses no acknowledged line and never verifies as a pass', {
    timeout: timeoutMs,
  }, async () => {
    // Each node writes its id to the file "seen". The journal must have its begin line by then.
    const nodes = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `n${index}`,
        { action: 'command', argv: ['sh', '-c', `echo n${index} >> seen`], next: index < 39 ? `n${index + 1}` : 'done' },
      ]),
    );
    // The first run waits for the file "go", so it cannot end before the test kills it.
    const waits = { ...nodes.n20, argv: ['sh', '-c', 'echo n20 >> seen; until [ -e go ]; do sleep 0.05; done'] };
    let [torn, cut] = [0, 0];
    for (const turn of times(6, 30)) {
      const { dir, start } = cliProject({ 'a.recipe.json': recipeOf(turn === 0 ? { ...nodes, n20: waits } : nodes) });
      const { child, ended, sees } = start(...run);
      await sees(turn === 0 ? 'RUN 21/41' : 'RUN 1/41');
      await new Promise((resolve) => setTimeout(resolve, (turn * 37) % 150));
      child.kill('SIGKILL');
      writeFileSync(join(dir, 'go'), '');
      await ended;
      // The manifest is written last. A run with a manifest had finished before it was killed.
      if (existsSync(join(dir, 'out/artifact-manifest.json'))) continue;
      const seenText = existsSync(join(dir, 'seen')) ? readFileSync(join(dir, 'seen'), 'utf8') : '';
      const seen = seenText.split('\n').filter(Boolean);
      const lines = readFileSync(join(dir, 'out/journal.jsonl'), 'utf8').split('\n');
      const completeLines = lines.slice(0, -1);
      if (lines.at(-1) !== '') torn++;
      const begun = new Set<string>();
      let isOver = false;
      const { problem } = followJournal(completeLines, (line) => {
        if (line.t === 'begin') begun.add(line.path);
        isOver ||= line.t === 'end' && line.path === '';
      });
      if (!isOver) cut++;
      expect(problem).toBeUndefined();
      expect(seen.filter((id) => !begun.has(id))).toEqual([]);
      const { status, verdict } = verifyPackage(join(dir, 'out'));
      // A package with a summary and without a manifest is invalid.
      const hasSummary = existsSync(join(dir, 'out/summary.json'));
      expect({ status, verdict }).toEqual({ status: hasSummary ? 'invalid' : 'incomplete', verdict: 'unknown' });
    }
    expect(cut).toBeGreaterThan(0);
    expect(torn).toBeLessThanOrEqual(1);
  });
});
