// What listing recipes costs over one native spec that loops over the same files: node bench/collect/run.mjs [--json] [--check] [counts…]
// `playwright test --list` on a cold transform cache and without shims of an earlier run, the two turn by turn; validation is included.
// Then the same for playwright-bdd, which it installs into the folder it generates; without a network that part is left out, as with BENCH_BDD=0.
// BENCH_ROUNDS=3 says how often.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tenNodes } from '../validate/tenNodes.mjs';
import { installBdd, listFeatures, writeFeatures } from './bdd.mjs';
import { median, metered, rounded } from './metered.mjs';

const goals = new Map([
  [1_000, 2],
  [5_000, 1.5],
]);
const rssGoal = 1.5;
/** How many times faster than playwright-bdd. */
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
  const measured = (counts.length > 0 ? counts : [...goals.keys()]).map((count) => measure(count, bdd));
  console.log(process.argv.includes('--json') ? JSON.stringify(measured, null, 2) : measured.map(inWords).join('\n'));
  if (process.argv.includes('--check') && measured.some(({ withinGoals }) => !withinGoals)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(count, bdd) {
  const dir = path.join(folder, String(count));
  generate(dir, count);
  if (bdd) writeFeatures(bdd, count);
  const runs = { native: [], recipes: [], features: [] };
  for (let round = 0; round < rounds; round++) {
    const turns = round % 2 === 0 ? ['native', 'recipes'] : ['recipes', 'native'];
    for (const name of turns) runs[name].push(list(dir, name, count));
    // Thousands of features take a minute, and once is enough to see which number it is.
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
  const ratio = { cpu: rounded(recipes.cpuMs / native.cpuMs), wall: rounded(recipes.wallMs / native.wallMs) };
  const rss = rounded(recipes.rssMb / native.rssMb);
  const goal = goals.get(count);
  const times = features && { cpu: rounded(features.cpuMs / recipes.cpuMs), wall: rounded(features.wallMs / recipes.wallMs) };
  const isFaster = times === undefined || times.cpu >= bddGoal;
  const withinGoals = goal === undefined || (ratio.cpu <= goal && rss <= rssGoal && isFaster);
  return { count, native, recipes, features, ratio, rss, times, goal, withinGoals };
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
}

function list(dir, name, count) {
  rmSync(path.join(dir, 'node_modules/.cache'), { recursive: true, force: true });
  return metered(dir, [cli, 'test', '--list', '-c', `${name}.config.js`], `Total: ${count} tests`);
}

function inWords({ count, native, recipes, features, ratio, rss, times, goal }) {
  const told = ({ wallMs, cpuMs, rssMb }) => `${wallMs} ms, ${cpuMs} ms of CPU, ${rssMb} MB`;
  const passed = (isMet) => (isMet ? 'PASS' : 'FAIL');
  const wanted =
    goal === undefined ? '' : `: ${passed(ratio.cpu <= goal && rss <= rssGoal)}, the goal is ${goal}, memory ${rssGoal}`;
  return [
    `${count} recipes, listed on a cold cache`,
    `  one native spec   ${told(native)}`,
    `  recipes           ${told(recipes)}`,
    `  ratio             ${ratio.cpu} by CPU, ${ratio.wall} by the clock, ${rss} by memory${wanted}`,
    ...(times ? [`  playwright-bdd    ${told(features)}, bddgen and list`] : []),
    ...(times
      ? [
          `  times faster      ${times.cpu} by CPU, ${times.wall} by the clock: ${passed(times.cpu >= bddGoal)}, the goal is ${bddGoal}`,
        ]
      : []),
  ].join('\n');
}
