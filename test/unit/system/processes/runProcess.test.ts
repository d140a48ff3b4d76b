// runProcess() with real processes.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sweepRun } from '../../../../src/system/processes/killTree.js';
import { type ProcessRequest, type ProcessResult, runProcess } from '../../../../src/system/processes/runProcess.js';
import { appearance, running } from '../../../support/processProbe.js';

const env = { PATH: process.env.PATH ?? '' };

function run(command: ProcessRequest['command'], rest: Partial<ProcessRequest> = {}): Promise<ProcessResult> {
  const tag = `unit-${Math.random()}/node`;
  onTestFinished(async () => void (await sweepRun(tag.split('/')[0] ?? '')));
  return runProcess({ command, cwd: tmpdir(), env, signal: new AbortController().signal, tag, ...rest });
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

describe('a process', () => {
  test('a process returns its exit code and both streams', async () => {
    const { stdout, stderr, ...rest } = await run('echo out; echo err >&2; exit 3');
    expect(rest).toEqual({ exitCode: 3, signal: null, survivors: [] });
    expect([stdout.bytes.toString(), stderr.bytes.toString()]).toEqual(['out\n', 'err\n']);
  });

  test('a process receives each argument of a list unchanged', async () => {
    const words = ['', 'a b', '$HOME', '"', "'", '*', '\n', '--', 'é'] as const;
    const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    const { stdout } = await run([process.execPath, '-e', script, '--', ...words]);
    expect(JSON.parse(stdout.bytes.toString())).toEqual([...words]);
  });

  test('a process that a signal ends has a signal and no exit code', async () => {
    expect(await run('kill -TERM $$')).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
  });

  test('a process that does not read its stdin causes no error', async () => {
    const stdin = Buffer.alloc(5_000_000, 'x');
    expect(await run(['true'], { stdin })).toMatchObject({ exitCode: 0 });
    const { stdout } = await run(['wc', '-c'], { stdin });
    expect(stdout.bytes.toString().trim()).toBe('5000000');
  });

  test('a process without stdin reads nothing and does not wait', async () => {
    expect((await run(['cat'])).stdout.size).toBe(0);
  });

  test('the output of a process may be binary', async () => {
    const { stdout } = await run(['printf', '\\377\\376\\000a']);
    expect([...stdout.bytes]).toEqual([0xff, 0xfe, 0, 0x61]);
    expect(stdout.bytes.toString()).toBe('\ufffd\ufffd\0a');
  });
});

describe.skipIf(process.platform !== 'linux')(
  'a process that ends while the event loop is blocked (skipped where there is no /proc)',
  () => {
    const busyUntil = (done: () => boolean): void => {
      while (!done());
    };

    test('late output is read although the event loop was blocked longer than the time for the pipes', async () => {
      const dir = folder();
      const [up, go, late] = ['up', 'go', 'late'].map((name) => join(dir, name)) as [string, string, string];
      const script = `until [ -e ${go} ]; do sleep 0.01; done; echo late; touch ${late}; exec sleep 600`;
      const ended = run(`(${script}) & echo $$ > ${up}.part; mv ${up}.part ${up}`);
      await appearance(up);
      const pid = readFileSync(up, 'utf8').trim();
      // The process disappears from /proc when Node reports its exit.
      while (existsSync(`/proc/${pid}`)) await new Promise(setImmediate);
      const exitedAt = performance.now();
      writeFileSync(go, '');
      busyUntil(() => existsSync(late) && performance.now() > exitedAt + 600);
      expect((await ended).stdout.bytes.toString()).toBe('late\n');
    });

    test('the end of a process is noticed although another process, which could not be found, keeps its pipes open', async () => {
      const [stop, ready, nap] = [new AbortController(), join(folder(), 'ready'), `3600.${process.pid}1`];
      onTestFinished(() => running(nap).forEach((pid) => void process.kill(Number(pid), 'SIGKILL')));
      const ended = run(`env -i setsid sh -c '(sleep ${nap}) &'; touch ${ready}; exec sleep 600`, { signal: stop.signal });
      await appearance(ready);
      stop.abort('SIGINT');
      const abortedAt = performance.now();
      busyUntil(() => performance.now() > abortedAt + 200);
      expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGTERM', survivors: [] });
      expect(running(nap)).toHaveLength(1);
    });
  },
);

describe('a process that cannot start', () => {
  test('a process that cannot start says which program is missing', async () => {
    const { spawnError, spawnCode, exitCode } = await run(['no-such-program']);
    expect(spawnCode).toBe('ENOENT');
    expect(exitCode).toBeNull();
    expect(spawnError).toBe(`there is no program "no-such-program" in PATH or below ${tmpdir()}. Install it, or check its name.`);
  });

  test('a process that cannot start says that its file is not executable', async () => {
    const file = join(folder(), 'tool');
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 });
    expect((await run([file])).spawnError).toContain('may not be executed');
  });

  test('a process that cannot start because of a null byte does not show the value', async () => {
    for (const rest of [{ env: { SECRET: 'hunter2\0' } }, { command: ['echo', 'hunter2\0'] as const }]) {
      const { spawnError } = await run(['true'], rest);
      expect(spawnError).toContain('null byte');
      expect(spawnError).not.toContain('hunter2');
    }
  });

  test('a process that cannot start says that its arguments are too long', async () => {
    expect((await run(['true', 'x'.repeat(3_000_000)])).spawnError).toContain('too long');
  });

  test('a process does not start when its run has been stopped', async () => {
    const file = join(folder(), 'begun');
    const { spawnError } = await run(['touch', file], { signal: AbortSignal.abort('SIGINT') });
    expect(spawnError).toContain('before it began');
    expect((await run(['ls', file])).exitCode).not.toBe(0);
  });
});

describe('a process that is aborted', () => {
  test('the output of a process after SIGTERM is captured', async () => {
    const [stop, ready] = [new AbortController(), join(folder(), 'ready')];
    const script = `trap 'echo bye; exit 0' TERM; touch ${ready}; while :; do sleep 0.05; done`;
    const ended = run(script, { signal: stop.signal });
    await appearance(ready);
    stop.abort(new Error('time is over'));
    const { exitCode, stdout } = await ended;
    expect([exitCode, stdout.bytes.toString()]).toEqual([0, 'bye\n']);
  });

  test('an interrupted process receives SIGTERM once, and is killed after at least one second', async () => {
    const [stop, ready] = [new AbortController(), join(folder(), 'ready')];
    const ended = run(`trap 'echo heard' TERM; touch ${ready}; while :; do sleep 0.05; done`, { signal: stop.signal });
    await appearance(ready);
    const abortedAt = performance.now();
    stop.abort('SIGINT');
    const { signal, stdout, survivors } = await ended;
    const took = performance.now() - abortedAt;
    expect([signal, stdout.bytes.toString(), survivors]).toEqual(['SIGKILL', 'heard\n', []]);
    expect(took).toBeGreaterThan(950);
  });

  test('a process that reaches its timeout has at least five seconds to end', async () => {
    const [stop, ready] = [new AbortController(), join(folder(), 'ready')];
    const ended = run(`trap '' TERM; touch ${ready}; while :; do sleep 0.05; done`, { signal: stop.signal });
    await appearance(ready);
    const abortedAt = performance.now();
    stop.abort(new Error('time is over'));
    expect((await ended).signal).toBe('SIGKILL');
    expect(performance.now() - abortedAt).toBeGreaterThan(4_950);
  });
});
