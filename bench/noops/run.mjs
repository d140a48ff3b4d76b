// Measures recipes whose nodes do nothing, compared with native tests whose steps do nothing: node bench/noops/run.mjs [--json]
// [--check] Runs 200 recipes of 10 nodes and one spec of 200 tests with 10 test.step each: complete runs of `playwright test` with
// one worker, in alternating order. BENCH_RUN and BENCH_ROUNDS set the counts, by default 200 and 3. The CPU time of the worker
// decides: its start, the work of Playwright for each test, and the steps. The whole runs are for information: without evidence,
// and with the reporter that writes 200 packages, which native tests do not have.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { noops, setup } from '../vitest/generate.mjs';

const goal = 1.15;
/** With --check, only a ratio that exceeds the goal by more than half fails, because the machine may be shared. */
const tolerance = process.argv.includes('--check') ? 1.5 : 1;
const count = Number(process.env.BENCH_RUN ?? '200');
const rounds = Number(process.env.BENCH_ROUNDS ?? '3');
const atExit = fileURLToPath(new URL('cpuAtExit.cjs', import.meta.url));
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const cli = path.join(path.dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');

const nativeSpec = `
import { test } from '@playwright/test';
const noop = async () => ({ output: {} });
for (let index = 0; index < ${count}; index++) {
  test('Nothing ' + index, async () => {
    for (let number = 0; number < 10; number++)
      await test.step('Do nothing for the time number ' + number, noop);
  });
}
`;

const recipeConfig = (reporters) => `
import { recipeProject } from 'recipewright/playwright';
export default {
  workers: 1,
  reporter: ${JSON.stringify(reporters.map((name) => [name]))},
  projects: [recipeProject({ recipes: 'recipes/*.recipe.json', setup: './recipes.setup.js' })],
};
`;

const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'noops-bench-')));
try {
  generate();
  const runs = { native: [], bare: [], recipes: [] };
  const names = Object.keys(runs);
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) runs[name].push(measure(name));
  const report = judge(median(runs.native), median(runs.bare), median(runs.recipes));
  console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : formatReport(report));
  process.exitCode = report.ratio.worker > goal * tolerance ? 1 : 0;
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function generate() {
  const write = (name, text) => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  };
  mkdirSync(path.join(dir, 'node_modules'));
  for (const name of ['recipewright', '@playwright', 'playwright', 'playwright-core'])
    symlinkSync(path.join(modules, name), path.join(dir, 'node_modules', name), 'junction');
  write('package.json', '{ "type": "module" }\n');
  write('recipes.setup.js', setup);
  write('tests/nothing.spec.js', nativeSpec);
  write('native.config.js', "export default { workers: 1, reporter: 'dot', testDir: './tests' };\n");
  write('bare.config.js', recipeConfig(['dot']));
  write('recipes.config.js', recipeConfig(['dot', 'recipewright/playwright/reporter']));
  for (let index = 0; index < count; index++) write(`recipes/r${index}.recipe.json`, noops(index));
}

function measure(name) {
  rmSync(path.join(dir, 'recipe-results'), { recursive: true, force: true });
  const results = path.join(dir, 'cpu.jsonl');
  rmSync(results, { force: true });
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'test', '-c', `${name}.config.js`], {
    ...{
      cwd: dir,
      encoding: 'utf8',
      maxBuffer: 100_000_000,
      env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: `--require ${atExit}`, BENCH_RESULTS: results },
    },
  });
  const wallMs = performance.now() - startedAt;
  if (status !== 0 || !stdout.includes(`${count} passed`))
    throw new Error(`The run of ${name} failed:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
  if (name === 'recipes') checkPackages();
  const usages = readFileSync(results, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const sum = (list) => list.reduce((total, { cpuMs }) => total + cpuMs, 0);
  return { wallMs, cpuMs: sum(usages), workerMs: sum(usages.filter(({ isWorker }) => isWorker)) };
}

// A recipe without evidence would be too fast.
function checkPackages() {
  const packages = readdirSync(path.join(dir, 'recipe-results'), { recursive: true });
  const packageCount = packages.filter((file) => path.basename(file) === 'summary.json').length;
  if (packageCount !== count) throw new Error(`${count} recipes ran, but ${packageCount} packages were written.`);
}

function median(runs) {
  const medianOf = (field) => Math.round(runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1]);
  return { workerMs: medianOf('workerMs'), cpuMs: medianOf('cpuMs'), wallMs: medianOf('wallMs') };
}

function judge(native, bare, recipes) {
  const ratioOf = (run, field) => Math.round((run[field] / native[field]) * 100) / 100;
  return {
    count,
    goal,
    ratio: { worker: ratioOf(recipes, 'workerMs'), cpu: ratioOf(recipes, 'cpuMs'), wall: ratioOf(recipes, 'wallMs') },
    bareRatio: { worker: ratioOf(bare, 'workerMs'), cpu: ratioOf(bare, 'cpuMs'), wall: ratioOf(bare, 'wallMs') },
    native,
    bare,
    recipes,
  };
}

function formatReport({ ratio, bareRatio, native, bare, recipes }) {
  const formatRun = ({ workerMs, cpuMs, wallMs }) => `worker ${workerMs} ms CPU, whole run ${cpuMs} ms CPU in ${wallMs} ms`;
  return [
    `${count} tests of 10 native steps: ${formatRun(native)}`,
    `${count} recipes of 10 no-op nodes, with their packages: ${formatRun(recipes)}`,
    `${count} recipes without the reporter that writes packages: ${formatRun(bare)}`,
    `ratio of the worker CPU ${ratio.worker}: ${ratio.worker <= goal ? 'PASS' : 'FAIL'} (goal ${goal})`,
    `whole run: ratio ${ratio.cpu} CPU, ${ratio.wall} wall time; without packages ${bareRatio.cpu} and ${bareRatio.wall}`,
  ].join('\n');
}
