// Processes that do not end, that keep pipes open, that flood their output, or that read the environment. Linux only, because the tests
// read the running processes from /proc.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sweepRun } from '../../src/system/processes/killTree.js';
import { type ProcessResult, runProcess } from '../../src/system/processes/runProcess.js';
import { runCount, timeoutMs } from '../property/runCount.js';
import { recipeOf, runPlain } from '../support/plain.js';
import { appearance, running } from '../support/processProbe.js';

/** RECIPEWRIGHT_RUNS sets the number of repetitions, up to 20. */
const times = Math.min(20, runCount(2, 15).numRuns ?? 2);
const each = Array.from({ length: times }, (_, index) => index);
const built = (file: string): string => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

let count = 0;
/** A duration for `sleep` that no other process uses. */
const newNap = (): string => `${20_000 + process.pid}.${++count}3`;

function start(command: string, signal: AbortSignal): Promise<ProcessResult> {
  const runId = `faults-${process.pid}-${count}`;
  onTestFinished(async () => void (await sweepRun(runId)));
  return runProcess({ command, cwd: tmpdir(), env: { PATH: process.env.PATH ?? '' }, signal, tag: `${runId}/node` });
}

/** Each creates the file `ready` when it runs, and then sleeps. */
const shapes: Record<string, (nap: string, ready: string) => string> = {
  'a plain child': (nap, ready) => `touch ${ready}; exec sleep ${nap}`,
  grandchildren: (nap, ready) => `(sleep ${nap} & (sleep ${nap} & touch ${ready}; wait) & wait) & wait`,
  'a child in a session of its own': (nap, ready) => `setsid sh -c 'touch ${ready}; exec sleep ${nap}' & wait`,
  'a daemon that lost its parents': (nap, ready) =>
    `(setsid sh -c '(setsid sh -c "touch ${ready}; exec sleep ${nap}") &' &); sleep ${nap}`,
  'a tree that ignores SIGTERM': (nap, ready) =>
    `trap '' TERM; setsid sleep ${nap} & (sleep ${nap} & touch ${ready}; wait) & while :; do sleep ${nap}; done`,
};

describe.skipIf(process.platform !== 'linux')('processes (skipped where there is no /proc)', () => {
  test.for(Object.entries(shapes))('F17 the timeout of a node ends %s', { timeout: timeoutMs }, async ([, shape]) => {
    const dir = folder();
    const endOne = async (index: number): Promise<void> => {
      const [nap, ready, stop] = [newNap(), join(dir, `ready-${index}`), new AbortController()];
      const ended = start(shape(nap, ready), stop.signal);
      await appearance(ready);
      expect(running(nap)).not.toEqual([]);
      stop.abort(new Error('time is over'));
      const { survivors, signal } = await ended;
      expect([running(nap), survivors]).toEqual([[], []]);
      expect(['SIGTERM', 'SIGKILL']).toContain(signal);
    };
    await Promise.all(each.map(endOne));
  });

  test('F17 processes that a run left behind end with the process of the run', async () => {
    const [dir, nap] = [folder(), newNap()];
    const cmd = `sleep ${nap} & setsid sleep ${nap} & echo up`;
    writeFileSync(join(dir, 'a.recipe.json'), JSON.stringify(recipeOf({ first: { action: 'command', cmd, next: 'done' } })));
    const options = { artifactsDir: 'out' };
    const script = `import { runRecipe } from ${JSON.stringify(built('index.js'))}; await runRecipe('a.recipe.json', ${JSON.stringify(options)});`;
    expect(await exitOf(['--input-type=module', '-e', script], dir)).toMatchObject({ exitCode: 0, stderr: '' });
    await expect.poll(() => running(nap)).toEqual([]);
  });

  test('F17 when the process of a run exits during a node, the processes of the node end too', async () => {
    const [dir, nap] = [folder(), newNap()];
    const cmd = `setsid sleep ${nap} & sleep ${nap} & touch ready; wait`;
    writeFileSync(join(dir, 'a.recipe.json'), JSON.stringify(recipeOf({ first: { action: 'command', cmd, next: 'done' } })));
    const options = { artifactsDir: 'out' };
    const script = `import { existsSync, watch } from 'node:fs'; import { runRecipe } from ${JSON.stringify(built('index.js'))};
      watch('.', () => existsSync('ready') && process.exit(5)); await runRecipe('a.recipe.json', ${JSON.stringify(options)});`;
    expect(await exitOf(['--input-type=module', '-e', script], dir)).toMatchObject({ exitCode: 5, stderr: '' });
    await expect.poll(() => running(nap)).toEqual([]);
  });

  test('F18 a grandchild that keeps the pipe open delays neither an exit nor a timeout', { timeout: timeoutMs }, async () => {
    const dir = folder();
    for (const index of each) {
      const [nap, ready, stop] = [newNap(), join(dir, `ready-${index}`), new AbortController()];
      const left = await start(`sleep ${nap} & setsid sleep ${nap} & echo done`, new AbortController().signal);
      expect([index, left.exitCode, left.stdout.bytes.toString()]).toEqual([index, 0, 'done\n']);
      expect(running(nap)).toHaveLength(2);
      const ended = start(`setsid sleep ${nap} & echo begun; touch ${ready}; sleep ${nap}`, stop.signal);
      await appearance(ready);
      stop.abort(new Error('time is over'));
      const killed = await ended;
      expect([index, killed.signal, killed.stdout.bytes.toString()]).toEqual([index, 'SIGTERM', 'begun\n']);
    }
  });

  test('F19 five seconds of output from "yes" fill neither the memory nor the package', async () => {
    const dir = folder();
    const nodes = { flood: { action: 'command', cmd: 'yes', timeout_ms: 5_000, next: 'done' } };
    writeFileSync(join(dir, 'a.recipe.json'), JSON.stringify(recipeOf(nodes)));
    const peak = 'data:text/javascript,process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))';
    const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', '--json'];
    const { exitCode, stderr } = await exitOf(['--import', peak, built('cli.js'), ...run], dir);
    expect(exitCode).toBe(1);
    expect(Number(/^peak (\d+)$/m.exec(stderr)?.[1])).toBeLessThan(200_000);
    const files = readdirSync(join(dir, 'out'), { recursive: true }).map((name) => join(dir, 'out', String(name)));
    const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(size).toBeGreaterThan(10_000_000);
    expect(size).toBeLessThan(12_000_000);
    const [entry] = JSON.parse(readFileSync(join(dir, 'out/trace.json'), 'utf8')) as [{ output: Record<string, unknown> }];
    expect(entry.output).toMatchObject({
      wasTruncated: true,
      stdout: expect.stringMatching(/^(y\n)+\n?… \d+ bytes left out …\n/),
    });
    expect(running('yes\0')).toEqual([]);
  });

  test('F20 a child process sees only default and declared environment variables', async () => {
    const stray = ['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'NODE_OPTIONS_X', 'npm_config_x', 'LD_STRAY', 'path', 'HOMEX'];
    for (const name of stray) process.env[name] = 'stray';
    onTestFinished(() => {
      for (const name of stray) delete process.env[name];
    });
    const nodes = { look: { action: 'command', argv: ['env', '-0'], env: { DECLARED: 'a\nGITHUB_TOKEN=b' }, next: 'done' } };
    const { trace } = await runPlain(recipeOf(nodes));
    const { stdout } = (trace[0]?.output ?? { stdout: '' }) as { stdout: string };
    const names = stdout.split('\0').slice(0, -1);
    const allowed = ['PATH', 'HOME', 'LANG', 'TZ', 'CI', 'DECLARED', 'RECIPEWRIGHT_RUN'];
    expect(names.map((line) => line.split('=')[0]).filter((name = '') => !allowed.includes(name))).toEqual([]);
    expect(names).toContain('DECLARED=a\nGITHUB_TOKEN=b');
    expect(stdout).not.toContain('stray');
  });
});

function exitOf(args: readonly string[], cwd: string): Promise<{ exitCode: number | null; stderr: string }> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, stderr }));
  });
}
