// Runs Vitest and measures the CPU time of all its processes.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { moduleFolder } from './generate.mjs';

const cli = path.join(moduleFolder('vitest'), 'vitest.mjs');

export function measureVitest(dir, config, { args, lines, passed }) {
  // Uses a cold cache, which is the normal case in CI.
  rmSync(path.join(dir, 'node_modules/.vite'), { recursive: true, force: true });
  const cpuBefore = readChildrenCpuMs();
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, '--config', config], {
    ...{ cwd: dir, encoding: 'utf8', maxBuffer: 100_000_000, env: { ...process.env, NO_COLOR: '1' } },
  });
  const wallMs = performance.now() - startedAt;
  const isComplete =
    lines === undefined ? stdout.includes(`Tests  ${passed} passed`) : stdout.trim().split('\n').length === lines;
  if (status !== 0 || !isComplete)
    throw new Error(`vitest ${args[0]} with ${config} failed:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
  const cpuMs = readChildrenCpuMs() - cpuBefore;
  return { wallMs, cpuMs: cpuMs > 0 ? cpuMs : wallMs };
}

/**
 * Returns the CPU time of all child processes and their children. Returns 0 except on Linux, where the wall time is used instead.
 */
function readChildrenCpuMs() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0; // ENOENT: the system has no /proc.
  }
}
