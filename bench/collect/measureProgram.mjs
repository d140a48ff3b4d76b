// Runs a Node program with a cold transform cache and measures its time and memory.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const meter = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  require('node:fs').writeFileSync(process.env.METER, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, rssMb: maxRSS / 1024 }));
});
`;

/** @throws when the program fails, or when its stdout does not contain `expectedOutput` */
export function measureProgram(cwd, args, expectedOutput = '') {
  const cache = mkdtempSync(path.join(tmpdir(), 'collect-bench-cache-'));
  try {
    const [hook, usageFile] = ['meter.cjs', 'meter.json'].map((name) => path.join(cache, name));
    writeFileSync(hook, meter);
    const env = { ...process.env, PWTEST_CACHE_DIR: cache, METER: usageFile, NODE_OPTIONS: `--require ${hook}` };
    const startedAt = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8', maxBuffer: 100_000_000 });
    const wallMs = Math.round(performance.now() - startedAt);
    if (status !== 0 || !stdout.includes(expectedOutput))
      throw new Error(`node ${args.join(' ')} failed:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
    const { cpuMs, rssMb } = JSON.parse(readFileSync(usageFile, 'utf8'));
    return { wallMs, cpuMs: Math.round(cpuMs), rssMb: Math.round(rssMb) };
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

export function median(runs) {
  const medianOf = (field) => runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1];
  return { wallMs: medianOf('wallMs'), cpuMs: medianOf('cpuMs'), rssMb: medianOf('rssMb') };
}

export function roundRatio(ratio) {
  return Math.round(ratio * 100) / 100;
}
