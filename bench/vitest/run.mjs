// What recipes cost in Vitest over hand-written test files: node bench/vitest/run.mjs [--json] [--check]
// Lists recipes beside as many files of one test, and runs recipes of 10 no-op nodes beside as many files that loop over 10 no-ops:
// with Vitest's default, a process for each file, and with the settings that let files share processes or threads.
// Lists as many .feature files with quickpickle, which it installs into the folder it generates; without a network that part is left out.
// BENCH_LISTED=1000, BENCH_RUN=50 and BENCH_ROUNDS=3 say how many; BENCH_LISTED=0 leaves the lists out.
// The two go turn by turn. CPU is that of all processes and decides; the clock is for information.
import { rmSync } from 'node:fs';
import { cpuOf } from './cpuOf.mjs';
import { generate, variants } from './generate.mjs';
import { generateFeatures } from './quickpickle.mjs';

/** By default each file is a process of its own: 1,000 of them take minutes. */
const counts = { listed: Number(process.env.BENCH_LISTED ?? '1000'), run: Number(process.env.BENCH_RUN ?? '50') };
const rounds = Number(process.env.BENCH_ROUNDS ?? '3');
const isCheck = process.argv.includes('--check');
/** With --check only what is worse than the goal by more than half fails: the machine may be shared. */
const tolerated = isCheck ? 1.5 : 1;

const rows = [];
const dir = generate(counts);
try {
  if (counts.listed > 0) compareLists();
  const run = { args: ['run'], passed: counts.run };
  for (const [variant, { folder, test }] of Object.entries(variants)) {
    if (folder !== 'run') continue;
    const settings = Object.keys(test).length === 0 ? "Vitest's defaults" : JSON.stringify(test);
    const what = `run ${counts.run} × 10 no-op nodes to as many hand-written loops, with ${settings}`;
    // Where files share a process, a hand-written loop costs next to nothing: there only the time of the recipes matters.
    rows.push(measure(what, variant === 'default' ? 2.2 : undefined, { variant, ...run }));
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(process.argv.includes('--json') ? JSON.stringify(rows, null, 2) : rows.map(inWords).join('\n'));
process.exitCode = rows.some(({ ratio, goal }) => goal !== undefined && ratio.cpu > goal * tolerated) ? 1 : 0;

function compareLists() {
  const list = { variant: 'listed', args: ['list'], lines: counts.listed };
  const row = measure(`list ${counts.listed} recipes to as many hand-written files`, 1.2, list);
  rows.push(row);
  const shared = { ...list, variant: 'listed-isolate-false' };
  rows.push(measure(`list ${counts.listed} recipes to as many hand-written files, with {"isolate":false}`, undefined, shared));
  const features = generateFeatures(dir, counts.listed);
  if (features) rows.push(compareWith(features, list, row.recipes));
}

function measure(what, goal, { variant, ...request }) {
  const runs = { native: [], recipes: [] };
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? ['native', 'recipes'] : ['recipes', 'native'])
      runs[name].push(cpuOf(dir, `${variant}.${name}.config.mjs`, request));
  const native = middle(runs.native);
  const recipes = middle(runs.recipes);
  const ratio = { cpu: rounded(recipes.cpuMs / native.cpuMs), wall: rounded(recipes.wallMs / native.wallMs) };
  return { what, goal, ratio, native, recipes, withinGoal: goal === undefined ? undefined : ratio.cpu <= goal };
}

/** The other way round: what is said is how many times slower quickpickle is, as a part of which the goal is a fifth. */
function compareWith(features, request, recipes) {
  const runs = [];
  for (let round = 0; round < rounds; round++) runs.push(cpuOf(features, 'pickle.config.mjs', request));
  const native = middle(runs);
  const ratio = { cpu: rounded(recipes.cpuMs / native.cpuMs), wall: rounded(recipes.wallMs / native.wallMs) };
  const times = rounded(native.cpuMs / recipes.cpuMs);
  const what = `list ${counts.listed} recipes to as many features of quickpickle: ${times} times faster`;
  return { what, goal: 1 / 5, ratio, other: 'quickpickle ', native, recipes, withinGoal: ratio.cpu <= 1 / 5 };
}

function middle(runs) {
  const of = (field) => Math.round(runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1]);
  return { wallMs: of('wallMs'), cpuMs: of('cpuMs') };
}

function rounded(ratio) {
  return Math.round(ratio * 100) / 100;
}

function inWords({ what, goal, ratio, other = 'hand-written', native, recipes, withinGoal }) {
  const words = ({ wallMs, cpuMs }) => `${cpuMs} ms of CPU, ${wallMs} ms by the clock`;
  const verdict = withinGoal === undefined ? '' : `: ${withinGoal ? 'PASS' : 'FAIL'}, the goal is ${goal}`;
  return [
    what,
    `  ${other}  ${words(native)}`,
    `  recipes       ${words(recipes)}`,
    `  ratio         ${ratio.cpu} by CPU, ${ratio.wall} by the clock${verdict}`,
  ].join('\n');
}
