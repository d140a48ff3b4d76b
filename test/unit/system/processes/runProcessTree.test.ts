// Processes that a process starts belong to its node until the node is killed, and to the run until sweepRun().
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sweepRun } from '../../../../src/system/processes/killTree.js';
import { type ProcessRequest, runProcess } from '../../../../src/system/processes/runProcess.js';
import { appearance, running } from '../../../support/processProbe.js';

const linux = process.platform === 'linux';
let count = 0;

/** Creates a run, a folder, and a `sleep` duration that no other process has. */
function createRun() {
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

describe.skipIf(!linux)('a process that is left running (skipped where there is no /proc)', () => {
  test('a process that is left running does not delay its node, and ends with the run', async () => {
    const { start, nap, runId } = createRun();
    const { exitCode, stdout } = await start(`sleep ${nap} & setsid sleep ${nap} & echo up`);
    expect([exitCode, stdout.bytes.toString()]).toEqual([0, 'up\n']);
    expect(running(nap)).toHaveLength(2);
    const names = [expect.stringMatching(/^sleep \(pid \d+\)$/), expect.stringMatching(/^sleep \(pid \d+\)$/)];
    expect(await sweepRun(runId)).toEqual(names);
    expect(running(nap)).toEqual([]);
    expect(await sweepRun(runId)).toEqual([]);
  });

  test('a process that is left running can still write after its node has ended', async () => {
    const { start, nap, ready } = createRun();
    const server = `sleep 0.7; head -c 300000 /dev/zero && echo more && touch ${ready}; exec sleep ${nap}`;
    await start(`(${server}) & echo up`);
    await appearance(ready);
    expect(running(nap)).toHaveLength(1);
  });

  test('a process that is left running receives SIGTERM before it is killed', async () => {
    const { start, ready, dir, runId } = createRun();
    await start(`(trap 'touch ${dir}/asked; exit' TERM; touch ${ready}; while :; do sleep 0.05; done) & echo up`);
    await appearance(ready);
    await sweepRun(runId);
    await appearance(join(dir, 'asked'));
  });

  test('a process that is left running survives the sweep of a run with a longer or a shorter id', async () => {
    const { start, nap, runId } = createRun();
    await start(`sleep ${nap} & echo up`);
    for (const other of [`${runId}0`, runId.slice(0, -1)]) {
      // Starts a process of the other run, because sweepRun() ignores a run that started none.
      const signal = new AbortController().signal;
      await runProcess({ command: ['/bin/true'], cwd: '/', env: {}, signal, tag: `${other}/node` });
      expect(await sweepRun(other)).toEqual([]);
    }
    expect(running(nap)).toHaveLength(1);
  });

  test('a process that is left running survives when another node of the run is killed', async () => {
    const { start, nap, stop, ready } = createRun();
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
  test('a killed process ends with a child that left the group and cleared its environment', async () => {
    const { start, nap, stop, ready } = createRun();
    const ended = start(`setsid env -i sh -c 'touch ${ready}; exec sleep ${nap}' & wait`);
    await appearance(ready);
    stop.abort('SIGINT');
    expect((await ended).survivors).toEqual([]);
    expect(running(nap)).toEqual([]);
  });

  test('a killed process ends with children that it starts while it is killed', async () => {
    const { start, nap, stop, ready } = createRun();
    const ended = start(`trap '' TERM; touch ${ready}; while :; do setsid sleep ${nap} & sleep 0.02; done`);
    await appearance(ready);
    stop.abort('SIGINT');
    expect(await ended).toMatchObject({ signal: 'SIGKILL', survivors: [] });
    expect(running(nap)).toEqual([]);
  });

  test('a killed process ends with a child whose name looks like the fields of /proc/PID/stat', async () => {
    const { start, nap, stop, ready, dir } = createRun();
    const odd = join(dir, 'x) Z 1 (y');
    copyFileSync('/bin/sleep', odd);
    const ended = start(`setsid '${odd}' ${nap} & touch ${ready}; wait`);
    await appearance(ready);
    stop.abort('SIGINT');
    await ended;
    expect(running(nap)).toEqual([]);
  });

  test('a process that SIGSTOP has stopped is killed too', async () => {
    const { start, nap, stop, ready } = createRun();
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

  test('the tag names the run and the node, and a node cannot replace it', async () => {
    expect(await tagOf('run/a[3]#2@1', { RECIPEWRIGHT_RUN: 'other' })).toBe('run/a[3]#2@1');
  });

  test('the tag is one word for any name of a node', async () => {
    expect(await tagOf('run/ä b\n')).toBe('run/%e4%20b%a');
  });

  test('the tag of a run inside another run contains both runs', async () => {
    process.env.RECIPEWRIGHT_RUN = 'outer/node';
    onTestFinished(() => void delete process.env.RECIPEWRIGHT_RUN);
    expect(await tagOf('inner/node')).toBe('outer/node inner/node');
  });
});
