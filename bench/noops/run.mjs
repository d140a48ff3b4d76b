// What tests of nodes that do nothing cost over tests of native steps that do nothing: node bench/noops/run.mjs [--json] [--check]
// 200 recipes of 10 nodes beside one spec of 200 tests with 10 test.step each, whole runs of `playwright test`, turn by turn in one worker.
// BENCH_RUN=200 and BENCH_ROUNDS=3 say how many. The CPU of the worker decides: its start, what Playwright does for each test, and the steps.
// Whole runs are for information: without evidence, and with a reporter that writes 200 packages, which native tests have none of.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { noops, setup } from '../vitest/generate.mjs';

const goal = 1.15;
/** With --check only what is worse than the goal by more than half fails: the machine may be shared. */
const tolerated = process.argv.includes('--check') ? 1.5 : 1;
const count = Number(process.env.BENCH_RUN ?? '200');
const rounds = Number(process.env.BENCH_ROUNDS ?? '3');
const atExit = fileURLToPath(new URL('cpuAtExit.cjs', import.meta.url));
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const cli = path.join(path.dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');

const native = `
import { test } from '@playwright/test';
const noop = async () => ({ output: {} });
for (let index = 0; index < ${count}; index++) {
  test('Nothing ' + index, async () => {
    for (let number = 0; number < 10; number++)
      await test.step('Do nothing for the time number ' + number, noop);
  });
}
`;

const recipes = (reporters) => `
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
  const report = judge(middle(runs.native), middle(runs.bare), middle(runs.recipes));
  console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : inWords(report));
  process.exitCode = report.ratio.worker > goal * tolerated ? 1 : 0;
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
  write('tests/nothing.spec.js', native);
  write('native.config.js', "export default { workers: 1, reporter: 'dot', testDir: './tests' };\n");
  write('bare.config.js', recipes(['dot']));
  write('recipes.config.js', recipes(['dot', 'recipewright/playwright/reporter']));
  for (let index = 0; index < count; index++) write(`recipes/r${index}.recipe.json`, noops(index));
}

function measure(name) {
  rmSync(path.join(dir, 'recipe-results'), { recursive: true, force: true });
  const results = path.join(dir, 'cpu.jsonl');
  rmSync(results, { force: true });
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'test', '-c', `${name}.config.js`], {
    ...{
      cwd: dir,
      encoding: 'utf8',
      maxBuffer: 100_000_000,
      env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: `--require ${atExit}`, BENCH_RESULTS: results },
    },
  });
  const wallMs = performance.now() - began;
  if (status !== 0 || !stdout.includes(`${count} passed`))
    throw new Error(`The run of ${name} failed:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
  if (name === 'recipes') checkPackages();
  const used = readFileSync(results, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const sum = (some) => some.reduce((total, { cpuMs }) => total + cpuMs, 0);
  return { wallMs, cpuMs: sum(used), workerMs: sum(used.filter(({ isWorker }) => isWorker)) };
}

// A recipe that leaves no evidence would look cheap.
function checkPackages() {
  const packages = readdirSync(path.join(dir, 'recipe-results'), { recursive: true });
  const written = packages.filter((file) => path.basename(file) === 'summary.json').length;
  if (written !== count) throw new Error(`${count} recipes ran, but ${written} packages were written.`);
}

function middle(runs) {
  const of = (field) => Math.round(runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1]);
  return { workerMs: of('workerMs'), cpuMs: of('cpuMs'), wallMs: of('wallMs') };
}

function judge(byHand, bare, byRecipe) {
  const over = (made, field) => Math.round((made[field] / byHand[field]) * 100) / 100;
  return {
    count,
    goal,
    ratio: { worker: over(byRecipe, 'workerMs'), cpu: over(byRecipe, 'cpuMs'), wall: over(byRecipe, 'wallMs') },
    bareRatio: { worker: over(bare, 'workerMs'), cpu: over(bare, 'cpuMs'), wall: over(bare, 'wallMs') },
    native: byHand,
    bare,
    recipes: byRecipe,
  };
}

function inWords({ ratio, bareRatio, native: byHand, bare, recipes: byRecipe }) {
  const told = ({ workerMs, cpuMs, wallMs }) => `worker ${workerMs} ms of CPU, whole run ${cpuMs} ms of CPU in ${wallMs} ms`;
  return [
    `${count} tests of 10 native steps: ${told(byHand)}`,
    `as many recipes of 10 no-op nodes, with their packages: ${told(byRecipe)}`,
    `the same without the reporter that writes packages: ${told(bare)}`,
    `ratio ${ratio.worker} by the CPU of the worker: ${ratio.worker <= goal ? 'PASS' : 'FAIL'} (goal ${goal})`,
    `whole run: ${ratio.cpu} by CPU, ${ratio.wall} by the clock; without packages ${bareRatio.cpu} and ${bareRatio.wall}`,
  ].join('\n');
}
