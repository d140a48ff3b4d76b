// One run of Vitest, with the CPU time of all its processes.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { moduleFolder } from './generate.mjs';

const cli = path.join(moduleFolder('vitest'), 'vitest.mjs');

export function cpuOf(dir, config, { args, lines, passed }) {
  // A cold cache is the normal case in CI.
  rmSync(path.join(dir, 'node_modules/.vite'), { recursive: true, force: true });
  const before = childrenMs();
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, '--config', config], {
    ...{ cwd: dir, encoding: 'utf8', maxBuffer: 100_000_000, env: { ...process.env, NO_COLOR: '1' } },
  });
  const wallMs = performance.now() - began;
  const isWhole = lines === undefined ? stdout.includes(`Tests  ${passed} passed`) : stdout.trim().split('\n').length === lines;
  if (status !== 0 || !isWhole)
    throw new Error(`vitest ${args[0]} with ${config} failed:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
  const cpuMs = childrenMs() - before;
  return { wallMs, cpuMs: cpuMs > 0 ? cpuMs : wallMs };
}

/** Linux only: what all processes that this one started have used, those that they started among them. Elsewhere 0, and the clock decides. */
export function childrenMs() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0; // ENOENT: there is no /proc
  }
}
