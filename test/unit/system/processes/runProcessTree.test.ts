// What a process starts belongs to its node until the node is killed, and to the run until the run is swept.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sweepRun } from '../../../../src/system/processes/killTree.js';
import { type ProcessRequest, runProcess } from '../../../../src/system/processes/runProcess.js';
import { appearance, running } from '../../../support/processProbe.js';

const linux = process.platform === 'linux';
let count = 0;

/** A run of its own, a folder, and a `sleep` that no other process has. */
function set() {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  const runId = `tree-${process.pid}-${count++}`;
  const nap = `${1_000 + process.pid}.${count}7`;
  onTestFinished(async () => {
    await sweepRun(runId);
    rmSync(dir, { recursive: true });
  });
  const stop = new AbortController();
  const start = (command: ProcessRequest['command'], path = 'node') => {
    const env = { PATH: process.env.PATH ?? '' };
    return runProcess({ command, cwd: dir, env, signal: stop.signal, tag: `${runId}/${path}` });
  };
  return { dir, runId, nap, stop, start, ready: join(dir, 'ready') };
}

describe.skipIf(!linux)('what a process leaves running (skipped where there is no /proc)', () => {
  test('does not keep its node waiting, and ends with the run', async () => {
    const { start, nap, runId } = set();
    const { exitCode, stdout } = await start(`sleep ${nap} & setsid sleep ${nap} & echo up`);
    expect([exitCode, stdout.bytes.toString()]).toEqual([0, 'up\n']);
    expect(running(nap)).toHaveLength(2);
    const names = [expect.stringMatching(/^sleep \(pid \d+\)$/), expect.stringMatching(/^sleep \(pid \d+\)$/)];
    expect(await sweepRun(runId)).toEqual(names);
    expect(running(nap)).toEqual([]);
    expect(await sweepRun(runId)).toEqual([]);
  });

  test('can go on writing after its node ended', async () => {
    const { start, nap, ready } = set();
    const server = `sleep 0.7; head -c 300000 /dev/zero && echo more && touch ${ready}; exec sleep ${nap}`;
    await start(`(${server}) & echo up`);
    await appearance(ready);
    expect(running(nap)).toHaveLength(1);
  });

  test('is asked before it is killed', async () => {
    const { start, ready, dir, runId } = set();
    await start(`(trap 'touch ${dir}/asked; exit' TERM; touch ${ready}; while :; do sleep 0.05; done) & echo up`);
    await appearance(ready);
    await sweepRun(runId);
    await appearance(join(dir, 'asked'));
  });

  test('survives the sweep of a run with a longer or a shorter name', async () => {
    const { start, nap, runId } = set();
    await start(`sleep ${nap} & echo up`);
    for (const other of [`${runId}0`, runId.slice(0, -1)]) {
      // A run that never started anything has nothing to look for.
      const signal = new AbortController().signal;
      await runProcess({ command: ['/bin/true'], cwd: '/', env: {}, signal, tag: `${other}/node` });
      expect(await sweepRun(other)).toEqual([]);
    }
    expect(running(nap)).toHaveLength(1);
  });

  test('survives when another node of the run is killed', async () => {
    const { start, nap, stop, ready } = set();
    await start(`sleep ${nap} & echo up`, 'serve');
    await start(`setsid sleep ${nap} & echo up`, 'serve/child');
    const ended = start(`touch ${ready}; exec sleep 600`, 'serve/chil');
    await appearance(ready);
    stop.abort('SIGINT');
    expect((await ended).signal).toBe('SIGTERM');
    expect(running(nap)).toHaveLength(2);
  });
});

describe.skipIf(!linux)('a killed process (skipped where there is no /proc)', () => {
  test('takes a child with it that left the group and cleared its environment', async () => {
    const { start, nap, stop, ready } = set();
    const ended = start(`setsid env -i sh -c 'touch ${ready}; exec sleep ${nap}' & wait`);
    await appearance(ready);
    stop.abort('SIGINT');
    expect((await ended).survivors).toEqual([]);
    expect(running(nap)).toEqual([]);
  });

  test('takes children with it that it starts while it is killed', async () => {
    const { start, nap, stop, ready } = set();
    const ended = start(`trap '' TERM; touch ${ready}; while :; do setsid sleep ${nap} & sleep 0.02; done`);
    await appearance(ready);
    stop.abort('SIGINT');
    expect(await ended).toMatchObject({ signal: 'SIGKILL', survivors: [] });
    expect(running(nap)).toEqual([]);
  });

  test('is found under a name that looks like the end of another', async () => {
    const { start, nap, stop, ready, dir } = set();
    const odd = join(dir, 'x) Z 1 (y');
    copyFileSync('/bin/sleep', odd);
    const ended = start(`setsid '${odd}' ${nap} & touch ${ready}; wait`);
    await appearance(ready);
    stop.abort('SIGINT');
    await ended;
    expect(running(nap)).toEqual([]);
  });

  test('that is stopped by a signal is killed none the less', async () => {
    const { start, nap, stop, ready } = set();
    const ended = start(`sh -c 'touch ${ready}; kill -STOP $$; exec sleep ${nap}'; true`);
    await appearance(ready);
    stop.abort('SIGINT');
    expect(await ended).toMatchObject({ survivors: [] });
    expect(running(nap)).toEqual([]);
  });
});

describe('the tag', () => {
  const tagOf = async (tag: string, env = {}): Promise<string> => {
    const signal = new AbortController().signal;
    const { stdout } = await runProcess({ command: ['/usr/bin/env'], cwd: '/', env, signal, tag });
    return /^RECIPEWRIGHT_RUN=(.*)$/m.exec(stdout.bytes.toString())?.[1] ?? '';
  };

  test('names run and node, and a node cannot take it off', async () => {
    expect(await tagOf('run/a[3]#2@1', { RECIPEWRIGHT_RUN: 'other' })).toBe('run/a[3]#2@1');
  });

  test('is one word whatever the node is called', async () => {
    expect(await tagOf('run/ä b\n')).toBe('run/%e4%20b%a');
  });

  test('of a run inside of a run is known to both', async () => {
    process.env.RECIPEWRIGHT_RUN = 'outer/node';
    onTestFinished(() => void delete process.env.RECIPEWRIGHT_RUN);
    expect(await tagOf('inner/node')).toBe('outer/node inner/node');
  });
});
