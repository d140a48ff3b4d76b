// What listing recipes costs over one native spec that loops over the same files: node bench/collect/run.mjs [--json] [--check] [counts…]
// `playwright test --list` on a cold transform cache and without shims of an earlier run, the two turn by turn; validation is included.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tenNodes } from '../validate/tenNodes.mjs';

const goals = new Map([
  [1_000, 2],
  [5_000, 1.5],
]);
const rssGoal = 1.5;
const rounds = Number(process.env.BENCH_ROUNDS ?? '3');
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const cli = path.join(path.dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js');
const counts = process.argv.slice(2).map(Number).filter(Boolean);

const loop = `
import { readdirSync, readFileSync } from 'node:fs';
import { test } from '@playwright/test';
const root = new URL('../recipes/', import.meta.url);
for (const name of readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.json')).sort()) {
  const recipe = JSON.parse(readFileSync(new URL(name, root), 'utf8'));
  test(recipe.title, { tag: recipe.proofTargets.map(({ id }) => '@' + id) }, async () => undefined);
}
`;

const folder = mkdtempSync(path.join(tmpdir(), 'collect-bench-'));
try {
  const measured = (counts.length > 0 ? counts : [...goals.keys()]).map(measure);
  console.log(process.argv.includes('--json') ? JSON.stringify(measured, null, 2) : measured.map(inWords).join('\n'));
  if (process.argv.includes('--check') && measured.some(({ withinGoals }) => !withinGoals)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(count) {
  const dir = path.join(folder, String(count));
  generate(dir, count);
  const runs = { native: [], recipes: [] };
  for (let round = 0; round < rounds; round++) {
    const turns = round % 2 === 0 ? ['native', 'recipes'] : ['recipes', 'native'];
    for (const name of turns) runs[name].push(list(dir, name, count));
  }
  const native = median(runs.native);
  const recipes = median(runs.recipes);
  const ratio = { cpu: rounded(recipes.cpuMs / native.cpuMs), wall: rounded(recipes.wallMs / native.wallMs) };
  const rss = rounded(recipes.rssMb / native.rssMb);
  const goal = goals.get(count);
  return { count, native, recipes, ratio, rss, goal, withinGoals: goal === undefined || (ratio.cpu <= goal && rss <= rssGoal) };
}

/** Twenty folders, as a large project has them. */
function generate(dir, count) {
  mkdirSync(path.join(dir, 'node_modules'), { recursive: true });
  for (const name of ['recipewright', '@playwright', 'playwright', 'playwright-core'])
    symlinkSync(path.join(modules, name), path.join(dir, 'node_modules', name), 'junction');
  const write = (name, text) => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  };
  write('package.json', '{ "type": "module" }\n');
  for (let index = 0; index < count; index++) write(`recipes/area-${index % 20}/r${index}.recipe.json`, tenNodes(index));
  write('tests/loop.spec.js', loop);
  write('native.config.js', "export default { testDir: './tests' };\n");
  write(
    'recipes.config.js',
    "import { recipeProject } from 'recipewright/playwright';\nexport default { projects: [recipeProject({ recipes: 'recipes/**/*.recipe.json' })] };\n",
  );
  write(
    'meter.cjs',
    "process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); require('node:fs').writeFileSync(process.env.METER, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, rssMb: maxRSS / 1024 })); });\n",
  );
}

function list(dir, name, count) {
  const cache = mkdtempSync(path.join(folder, 'cache-'));
  rmSync(path.join(dir, 'node_modules/.cache'), { recursive: true, force: true });
  const meter = path.join(cache, 'meter.json');
  const env = { ...process.env, PWTEST_CACHE_DIR: cache, METER: meter, NODE_OPTIONS: `--require ${path.join(dir, 'meter.cjs')}` };
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'test', '--list', '-c', `${name}.config.js`], {
    ...{ cwd: dir, env, encoding: 'utf8', maxBuffer: 100_000_000 },
  });
  const wallMs = Math.round(performance.now() - began);
  if (status !== 0 || !stdout.includes(`Total: ${count} tests`))
    throw new Error(`The list of ${name} failed:\n${stdout.slice(-2_000)}\n${stderr}`);
  const { cpuMs, rssMb } = JSON.parse(readFileSync(meter, 'utf8'));
  rmSync(cache, { recursive: true, force: true });
  return { wallMs, cpuMs: Math.round(cpuMs), rssMb: Math.round(rssMb) };
}

function median(runs) {
  const middle = (field) => runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1];
  return { wallMs: middle('wallMs'), cpuMs: middle('cpuMs'), rssMb: middle('rssMb') };
}

function rounded(ratio) {
  return Math.round(ratio * 100) / 100;
}

function inWords({ count, native, recipes, ratio, rss, goal }) {
  const told = ({ wallMs, cpuMs, rssMb }) => `${wallMs} ms, ${cpuMs} ms of CPU, ${rssMb} MB`;
  return [
    `${count} recipes, listed on a cold cache`,
    `  one native spec   ${told(native)}`,
    `  recipes           ${told(recipes)}`,
    `  ratio             ${ratio.cpu} by CPU, ${ratio.wall} by the clock, ${rss} by memory${goal === undefined ? '' : ` (goal ${goal}, memory ${rssGoal})`}`,
  ].join('\n');
}
