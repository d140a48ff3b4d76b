// Measures the cost of running a recipe: node bench/run/run.mjs [--json] [--check]
// Measures nodes per second with validation and package, the growth of the check with the size of a recipe, the start-up compared
// with `node -e 0`, processes compared with a plain spawn, and the journal lines. Without --check, the exit code is 1 for every
// missed goal. With --check, as in CI, only ratios and memory count, and only when they exceed their goals by more than half: nodes
// per second and microseconds depend on the machine.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSources } from './buildSources.mjs';
import { measureJournal } from './journal.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const cli = path.join(here, '../../dist/cli.js');
const isCheck = process.argv.includes('--check');
const turns = Number(process.env.BENCH_TURNS ?? (isCheck ? '7' : '15'));

const builtFolder = await buildSources('runner', { runRecipe: 'hosts/plain/runRecipe.ts', index: 'index.ts' });
const short = measureBestRun(1_000);
const long = measureBestRun(100_000);
const startUp = measureStartUpRatio();
const spawnReport = JSON.parse(
  run(process.execPath, [path.join(here, '../spawn/run.mjs'), '--json'], { BENCH_ROUNDS: isCheck ? '2' : '5' }),
);
const { journal, plain } = await measureJournal();
const rows = [
  atLeast('nodes per second, 1,000 nodes', short.perSecond, undefined),
  atLeast('nodes per second, 100,000 nodes', long.perSecond, 10_000),
  atMost('memory growth with 100,000 nodes, MB', long.grownMb, 150),
  atMost('time per node, 100,000 / 10,000 nodes', long.ms / 100_000 / (measureBestRun(10_000).ms / 10_000), 1.2),
  atMost('check, 100,000 / 10,000 nodes', measureCheckRatio(), 12),
  atMost('run of two nodes / node -e 0', startUp, 3),
  atMost('200 × true / plain spawn', spawnReport.ratio, 1.6),
  { ...atMost('journal, µs per node', journal, 15), isAbsolute: true },
  atMost('journal / plain appends and hashes', journal / plain, 2),
];
console.log(process.argv.includes('--json') ? JSON.stringify(rows, null, 2) : rows.map(formatRow).join('\n'));
process.exitCode = rows.some(({ off, isAbsolute }) => (isCheck ? off > 1.5 && !isAbsolute : off > 1)) ? 1 : 0;

/** `off` is greater than 1 when the goal is missed. */
function atLeast(what, value, goal) {
  return { what, value, goal, off: goal === undefined ? 0 : goal / value, isAbsolute: true };
}

function atMost(what, value, goal) {
  return { what, value, goal, off: value / goal };
}

function formatRow({ what, value, goal, off }) {
  const verdict = goal === undefined ? '' : `${off <= 1 ? 'PASS' : 'FAIL'}, the goal is ${goal.toLocaleString('en')}`;
  return `${what.padEnd(46)} ${value.toLocaleString('en', { maximumFractionDigits: 2 }).padStart(10)}  ${verdict}`.trimEnd();
}

// Takes the best of three runs, because other processes of a shared machine slow some of them down.
function measureBestRun(count) {
  const runs = [1, 2, 3].map(() =>
    JSON.parse(run(process.execPath, ['--expose-gc', path.join(here, 'noops.mjs'), String(count), builtFolder.href])),
  );
  return runs.reduce((a, b) => (b.ms < a.ms ? b : a));
}

/** Returns the best ratio of three pairs. */
function measureCheckRatio() {
  const msOf = (count) => JSON.parse(run(process.execPath, [path.join(here, 'check.mjs'), String(count)])).ms;
  return Math.min(...[1, 2, 3].map(() => msOf(100_000) / msOf(10_000)));
}

function measureStartUpRatio() {
  const dir = mkdtempSync(path.join(tmpdir(), 'start-bench-'));
  const recipe = path.join(dir, 'two.recipe.json');
  const nodes = {
    pause: { action: 'wait', intent: 'Wait for 0 ms', duration_ms: 0, next: 'done' },
    done: { action: 'end', status: 'unknown' },
  };
  writeFileSync(recipe, JSON.stringify({ schema_version: 1, validate: { workflow: { entry: 'pause', nodes } } }));
  const [recipeTimes, nodeTimes] = [[], []];
  for (let turn = 0; turn < turns + 1; turn++) {
    const startedAt = performance.now();
    const { status } = spawnSync(process.execPath, [
      cli,
      'run',
      '--recipe',
      recipe,
      '--artifacts-dir',
      path.join(dir, `out-${turn}`),
    ]);
    const between = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    // A recipe that ends with "unknown" exits with 1. Any other exit code means that it did not run.
    if (status !== 1) throw new Error(`recipewright run exited with ${status}.`);
    if (turn === 0) continue;
    recipeTimes.push(between - startedAt);
    nodeTimes.push(performance.now() - between);
  }
  rmSync(dir, { recursive: true });
  return median(recipeTimes) / median(nodeTimes);
}

function run(file, args, env = {}) {
  try {
    return execFileSync(file, args, { env: { ...process.env, ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  } catch (error) {
    // A bench that misses its goal exits with 1, but still prints its results.
    if (error.stdout) return error.stdout;
    throw error;
  }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
