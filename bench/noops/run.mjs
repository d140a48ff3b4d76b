// What nodes that do nothing cost over native steps that do nothing: node bench/noops/run.mjs [--json] [--check]
// 200 recipes of 10 nodes beside one spec of 200 tests with 10 test.step each, whole runs of `playwright test`, turn by turn in one worker.
// BENCH_RUN=200 and BENCH_ROUNDS=3 say how many. CPU is that of all processes and decides; the clock is for information.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenMs } from '../vitest/cpuOf.mjs';
import { noops, setup } from '../vitest/generate.mjs';

const goal = 1.15;
/** With --check only what is worse than the goal by more than half fails: the machine may be shared. */
const tolerated = process.argv.includes('--check') ? 1.5 : 1;
const count = Number(process.env.BENCH_RUN ?? '200');
const rounds = Number(process.env.BENCH_ROUNDS ?? '3');
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const cli = path.join(path.dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');

const native = `
import { expect, test } from '@playwright/test';
const noop = async () => ({ output: {} });
for (let index = 0; index < ${count}; index++) {
  test('Nothing ' + index, async () => {
    for (let number = 0; number < 10; number++)
      await test.step('Do nothing for the time number ' + number, async () => expect(await noop()).toEqual({ output: {} }));
  });
}
`;

const recipes = `
import { recipeProject } from 'recipewright/playwright';
export default {
  workers: 1,
  reporter: [['dot'], ['recipewright/playwright/reporter']],
  projects: [recipeProject({ recipes: 'recipes/*.recipe.json', setup: './recipes.setup.js' })],
};
`;

const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'noops-bench-')));
try {
  generate();
  const runs = { native: [], recipes: [] };
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? ['native', 'recipes'] : ['recipes', 'native']) runs[name].push(measure(name));
  const report = judge(middle(runs.native), middle(runs.recipes));
  console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : inWords(report));
  process.exitCode = report.ratio.cpu > goal * tolerated ? 1 : 0;
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
  write('recipes.config.js', recipes);
  for (let index = 0; index < count; index++) write(`recipes/r${index}.recipe.json`, noops(index));
}

function measure(name) {
  rmSync(path.join(dir, 'recipe-results'), { recursive: true, force: true });
  const before = childrenMs();
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'test', '-c', `${name}.config.js`], {
    ...{ cwd: dir, encoding: 'utf8', maxBuffer: 100_000_000, env: { ...process.env, NO_COLOR: '1' } },
  });
  const wallMs = performance.now() - began;
  if (status !== 0 || !stdout.includes(`${count} passed`))
    throw new Error(`The run of ${name} failed:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
  if (name === 'recipes') checkPackages();
  const cpuMs = childrenMs() - before;
  return { wallMs, cpuMs: cpuMs > 0 ? cpuMs : wallMs };
}

// A recipe that leaves no evidence would look cheap.
function checkPackages() {
  const packages = readdirSync(path.join(dir, 'recipe-results'), { recursive: true });
  const written = packages.filter((file) => path.basename(file) === 'summary.json').length;
  if (written !== count) throw new Error(`${count} recipes ran, but ${written} packages were written.`);
}

function middle(runs) {
  const of = (field) => Math.round(runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1]);
  return { cpuMs: of('cpuMs'), wallMs: of('wallMs') };
}

function judge(byHand, byRecipe) {
  const over = (field) => Math.round((byRecipe[field] / byHand[field]) * 100) / 100;
  return { count, goal, ratio: { cpu: over('cpuMs'), wall: over('wallMs') }, native: byHand, recipes: byRecipe };
}

function inWords({ ratio, native: byHand, recipes: byRecipe }) {
  const told = ({ cpuMs, wallMs }) => `${cpuMs} ms of CPU, ${wallMs} ms`;
  return `${count} recipes of 10 no-op nodes, with their packages: ${told(byRecipe)}; as many tests of 10 native steps: ${told(byHand)}; ratio ${ratio.cpu} by CPU, ${ratio.wall} by the clock (goal ${goal})`;
}
