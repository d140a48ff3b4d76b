// Measures the cost of listing recipes, compared with one native spec that loops over the same files:
// node bench/collect/run.mjs [--json] [--check] [counts…]
// Runs `playwright test --list` with a cold transform cache and without shims of earlier runs, in alternating order. Listing
// recipes includes their validation. Also compares with playwright-bdd, which is installed into the generated folder. This part is
// skipped without a network and with BENCH_BDD=0. BENCH_ROUNDS sets the number of rounds, by default 3.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tenNodes } from '../validate/tenNodes.mjs';
import { installBdd, listFeatures, writeFeatures } from './bdd.mjs';
import { measureProgram, median, roundRatio } from './measureProgram.mjs';

const goals = new Map([
  [1_000, 2],
  [5_000, 1.5],
]);
const rssGoal = 1.5;
/** How many times faster than playwright-bdd recipes must be listed. */
const bddGoal = 5;
const rounds = Number(process.env.BENCH_ROUNDS ?? '3');
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const playwright = createRequire(import.meta.url).resolve('@playwright/test/package.json');
const cli = path.join(path.dirname(playwright), 'cli.js');
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
  const { version } = JSON.parse(readFileSync(playwright, 'utf8'));
  const bdd = process.env.BENCH_BDD === '0' ? undefined : installBdd(path.join(folder, 'bdd'), version);
  const reports = (counts.length > 0 ? counts : [...goals.keys()]).map((count) => measure(count, bdd));
  console.log(process.argv.includes('--json') ? JSON.stringify(reports, null, 2) : reports.map(formatReport).join('\n'));
  if (process.argv.includes('--check') && reports.some(({ withinGoals }) => !withinGoals)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(count, bdd) {
  const dir = path.join(folder, String(count));
  generate(dir, count);
  if (bdd) writeFeatures(bdd, count);
  const runs = { native: [], recipes: [], features: [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ['native', 'recipes'] : ['recipes', 'native'];
    for (const name of order) runs[name].push(list(dir, name, count));
    // Listing thousands of features takes a minute, so they are measured only once.
    if (bdd && (round === 0 || count <= 1_000)) runs.features.push(listFeatures(bdd, count));
  }
  return judge({
    count,
    native: median(runs.native),
    recipes: median(runs.recipes),
    ...(bdd ? { features: median(runs.features) } : {}),
  });
}

function judge({ count, native, recipes, features }) {
  const ratio = { cpu: roundRatio(recipes.cpuMs / native.cpuMs), wall: roundRatio(recipes.wallMs / native.wallMs) };
  const rss = roundRatio(recipes.rssMb / native.rssMb);
  const goal = goals.get(count);
  const times = features && {
    cpu: roundRatio(features.cpuMs / recipes.cpuMs),
    wall: roundRatio(features.wallMs / recipes.wallMs),
  };
  const isFaster = times === undefined || times.cpu >= bddGoal;
  const withinGoals = goal === undefined || (ratio.cpu <= goal && rss <= rssGoal && isFaster);
  return { count, native, recipes, features, ratio, rss, times, goal, withinGoals };
}

/** Writes the recipes into twenty folders, as in a large project. */
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
}

function list(dir, name, count) {
  rmSync(path.join(dir, 'node_modules/.cache'), { recursive: true, force: true });
  return measureProgram(dir, [cli, 'test', '--list', '-c', `${name}.config.js`], `Total: ${count} tests`);
}

function formatReport({ count, native, recipes, features, ratio, rss, times, goal }) {
  const formatRun = ({ wallMs, cpuMs, rssMb }) => `${wallMs} ms, ${cpuMs} ms CPU, ${rssMb} MB`;
  const formatVerdict = (isMet) => (isMet ? 'PASS' : 'FAIL');
  const verdict =
    goal === undefined
      ? ''
      : `: ${formatVerdict(ratio.cpu <= goal && rss <= rssGoal)}, the goal is ${goal}, for memory ${rssGoal}`;
  return [
    `${count} recipes, listed with a cold cache`,
    `  one native spec   ${formatRun(native)}`,
    `  recipes           ${formatRun(recipes)}`,
    `  ratio             ${ratio.cpu} CPU, ${ratio.wall} wall time, ${rss} memory${verdict}`,
    ...(times ? [`  playwright-bdd    ${formatRun(features)}, for bddgen and list`] : []),
    ...(times
      ? [
          `  times faster      ${times.cpu} CPU, ${times.wall} wall time: ${formatVerdict(times.cpu >= bddGoal)}, the goal is ${bddGoal}`,
        ]
      : []),
  ].join('\n');
}
