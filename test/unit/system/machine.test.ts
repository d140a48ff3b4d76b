import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { explainNotWritable, findProgram, freeBytes, listOtherRunsIn, probeWritable } from '../../../src/system/machine.js';
import { tagEnv } from '../../../src/system/processes/processTable.js';

function directory(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'recipewright-machine-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('findProgram finds an executable file in PATH', () => {
  const dir = directory();
  writeFileSync(join(dir, 'tool'), '');
  mkdirSync(join(dir, 'folder'));
  chmodSync(join(dir, 'tool'), 0o644);
  expect(findProgram('tool', { PATH: dir })).toBeUndefined();
  chmodSync(join(dir, 'tool'), 0o755);
  expect(findProgram('tool', { PATH: `/nowhere:${dir}` })).toBe(join(dir, 'tool'));
  expect(findProgram('folder', { PATH: dir })).toBeUndefined();
  expect(findProgram('tool', {})).toBeUndefined();
});

test('a missing directory is writable if its nearest existing parent is', () => {
  const dir = directory();
  expect(explainNotWritable(join(dir, 'a/b/c'))).toBeUndefined();
  writeFileSync(join(dir, 'a'), '');
  expect(explainNotWritable(join(dir, 'a'))).toBe(`${join(dir, 'a')} is not a directory`);
  expect(explainNotWritable(join(dir, 'a/b/c'))).toBe(`${join(dir, 'a')} is not a directory`);
});

test('probeWritable writes a file and leaves nothing behind', () => {
  const dir = directory();
  expect(probeWritable(dir)).toBeUndefined();
  expect(readdirSync(dir)).toEqual([]);
  expect(probeWritable(join(dir, 'nowhere'))).toMatch(/ENOENT/);
});

test('freeBytes knows the free space, even for a directory that does not exist yet', () => {
  expect(freeBytes(join(directory(), 'later'))).toBeGreaterThan(0);
});

test('listOtherRunsIn names a process of another run in the directory, but no process of our own run', async () => {
  const dir = directory();
  const start = (env: Record<string, string>) => {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
      ...{ cwd: dir, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return new Promise<number | undefined>((resolve) => child.stdout?.once('data', () => resolve(child.pid)));
  };
  await start({});
  expect(listOtherRunsIn(dir)).toEqual([]);
  const pid = await start(tagEnv('other-run/node'));
  expect(listOtherRunsIn(dir)).toEqual([`node (pid ${pid})`]);
  expect(listOtherRunsIn(join(dir, 'below'))).toEqual([]);
});
