// What recipes cost in Vitest over hand-written test files: node bench/vitest/run.mjs [--json] [--check]
// Lists recipes beside as many files of one test, and runs recipes of 10 no-op nodes beside as many files that loop over 10 no-ops.
// Lists as many .feature files with quickpickle, which it installs into the folder it generates; without a network that part is left out.
// BENCH_LISTED=1000, BENCH_RUN=200 and BENCH_ROUNDS=3 say how many.
// The two go turn by turn. CPU is that of all processes and decides; the clock is for information.
import { rmSync } from 'node:fs';
import { cpuOf } from './cpuOf.mjs';
import { generate } from './generate.mjs';
import { generateFeatures } from './quickpickle.mjs';

/** Each hand-written file is a process of its own: 1,000 of them take minutes. Recipes share processes (decisions/022). */
const counts = { listed: Number(process.env.BENCH_LISTED ?? '1000'), run: Number(process.env.BENCH_RUN ?? '200') };
const rounds = Number(process.env.BENCH_ROUNDS ?? '3');
const isCheck = process.argv.includes('--check');
/** With --check only what is worse than the goal by more than half fails: the machine may be shared. */
const tolerated = isCheck ? 1.5 : 1;

const rows = [];
const dir = generate(counts);
try {
  const list = { folder: 'listed', args: ['list'], lines: counts.listed };
  rows.push(measure(`list ${counts.listed} recipes to as many hand-written files`, 1.2, list));
  const features = generateFeatures(dir, counts.listed);
  if (features) rows.push(compareWith(features, list, rows[0].recipes));
  const run = { folder: 'run', args: ['run'], passed: counts.run };
  rows.push(measure(`run ${counts.run} × 10 no-op nodes to as many hand-written loops`, 1.5, run));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(process.argv.includes('--json') ? JSON.stringify(rows, null, 2) : rows.map(inWords).join('\n'));
process.exitCode = rows.some(({ ratio, goal }) => ratio.cpu > goal * tolerated) ? 1 : 0;

function measure(what, goal, asked) {
  const runs = { native: [], recipes: [] };
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? ['native', 'recipes'] : ['recipes', 'native'])
      runs[name].push(cpuOf(dir, `${asked.folder}.${name}.config.mjs`, asked));
  const native = middle(runs.native);
  const recipes = middle(runs.recipes);
  const ratio = { cpu: rounded(recipes.cpuMs / native.cpuMs), wall: rounded(recipes.wallMs / native.wallMs) };
  return { what, goal, ratio, native, recipes, withinGoal: ratio.cpu <= goal };
}

/** The other way round: what is said is how many times slower quickpickle is, as a part of which the goal is a fifth. */
function compareWith(features, asked, recipes) {
  const runs = [];
  for (let round = 0; round < rounds; round++) runs.push(cpuOf(features, 'pickle.config.mjs', asked));
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
  const told = ({ wallMs, cpuMs }) => `${cpuMs} ms of CPU, ${wallMs} ms by the clock`;
  return [
    what,
    `  ${other}  ${told(native)}`,
    `  recipes       ${told(recipes)}`,
    `  ratio         ${ratio.cpu} by CPU, ${ratio.wall} by the clock: ${withinGoal ? 'PASS' : 'FAIL'}, the goal is ${goal}`,
  ].join('\n');
}
