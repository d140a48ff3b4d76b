// One run of a program of Node on a cold transform cache, with its time and memory.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const meter = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  require('node:fs').writeFileSync(process.env.METER, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, rssMb: maxRSS / 1024 }));
});
`;

/** @throws when it fails, or does not print what `says` */
export function metered(cwd, args, says = '') {
  const cache = mkdtempSync(path.join(tmpdir(), 'collect-bench-cache-'));
  try {
    const [hook, told] = ['meter.cjs', 'meter.json'].map((name) => path.join(cache, name));
    writeFileSync(hook, meter);
    const env = { ...process.env, PWTEST_CACHE_DIR: cache, METER: told, NODE_OPTIONS: `--require ${hook}` };
    const began = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8', maxBuffer: 100_000_000 });
    const wallMs = Math.round(performance.now() - began);
    if (status !== 0 || !stdout.includes(says))
      throw new Error(`node ${args.join(' ')} failed:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
    const { cpuMs, rssMb } = JSON.parse(readFileSync(told, 'utf8'));
    return { wallMs, cpuMs: Math.round(cpuMs), rssMb: Math.round(rssMb) };
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

export function median(runs) {
  const middle = (field) => runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1];
  return { wallMs: middle('wallMs'), cpuMs: middle('cpuMs'), rssMb: middle('rssMb') };
}

export function rounded(ratio) {
  return Math.round(ratio * 100) / 100;
}
