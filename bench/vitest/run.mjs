// Measures the cost of recipes in Vitest, compared with hand-written test files: node bench/vitest/run.mjs [--json] [--check]
// Lists recipes and the same number of test files, and runs recipes of 10 no-op nodes and test files that loop over 10 no-ops: with
// the default of Vitest, one process per file, and with the settings that let files share processes or threads. Also lists .feature
// files with quickpickle, which is installed into the generated folder. This part is skipped without a network. BENCH_LISTED,
// BENCH_RUN and BENCH_ROUNDS set the counts, by default 1000, 50 and 3. BENCH_LISTED=0 skips the lists. The runs alternate. The CPU
// time of all processes decides, and the wall time is for information.
import { rmSync } from 'node:fs';
import { generate, variants } from './generate.mjs';
import { measureVitest } from './measureVitest.mjs';
import { generateFeatures } from './quickpickle.mjs';

/** The number of runs is lower, because by default each file runs in its own process, and 1,000 processes take minutes. */
const counts = { listed: Number(process.env.BENCH_LISTED ?? '1000'), run: Number(process.env.BENCH_RUN ?? '50') };
const rounds = Number(process.env.BENCH_ROUNDS ?? '3');
const isCheck = process.argv.includes('--check');
/** With --check, only a ratio that exceeds the goal by more than half fails, because the machine may be shared. */
const tolerance = isCheck ? 1.5 : 1;

const rows = [];
const dir = generate(counts);
try {
  if (counts.listed > 0) compareLists();
  const run = { args: ['run'], passed: counts.run };
  for (const [variant, { folder, test }] of Object.entries(variants)) {
    if (folder !== 'run') continue;
    const settings = Object.keys(test).length === 0 ? "Vitest's defaults" : JSON.stringify(test);
    const what = `run ${counts.run} × 10 no-op nodes to as many hand-written loops, with ${settings}`;
    // When files share a process, a hand-written loop takes almost no time, so the ratio has no goal.
    rows.push(measure(what, variant === 'default' ? 2.2 : undefined, { variant, ...run }));
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(process.argv.includes('--json') ? JSON.stringify(rows, null, 2) : rows.map(formatRow).join('\n'));
process.exitCode = rows.some(({ ratio, goal }) => goal !== undefined && ratio.cpu > goal * tolerance) ? 1 : 0;

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
      runs[name].push(measureVitest(dir, `${variant}.${name}.config.mjs`, request));
  const native = median(runs.native);
  const recipes = median(runs.recipes);
  const ratio = { cpu: roundRatio(recipes.cpuMs / native.cpuMs), wall: roundRatio(recipes.wallMs / native.wallMs) };
  return { what, goal, ratio, native, recipes, withinGoal: goal === undefined ? undefined : ratio.cpu <= goal };
}

/** Compares with quickpickle. The goal is a fifth of its CPU time. The row also says how many times faster recipes are listed. */
function compareWith(features, request, recipes) {
  const runs = [];
  for (let round = 0; round < rounds; round++) runs.push(measureVitest(features, 'pickle.config.mjs', request));
  const native = median(runs);
  const ratio = { cpu: roundRatio(recipes.cpuMs / native.cpuMs), wall: roundRatio(recipes.wallMs / native.wallMs) };
  const times = roundRatio(native.cpuMs / recipes.cpuMs);
  const what = `list ${counts.listed} recipes to as many features of quickpickle: ${times} times faster`;
  return { what, goal: 1 / 5, ratio, other: 'quickpickle ', native, recipes, withinGoal: ratio.cpu <= 1 / 5 };
}

function median(runs) {
  const medianOf = (field) => Math.round(runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1]);
  return { wallMs: medianOf('wallMs'), cpuMs: medianOf('cpuMs') };
}

function roundRatio(ratio) {
  return Math.round(ratio * 100) / 100;
}

function formatRow({ what, goal, ratio, other = 'hand-written', native, recipes, withinGoal }) {
  const formatRun = ({ wallMs, cpuMs }) => `${cpuMs} ms CPU, ${wallMs} ms wall time`;
  const verdict = withinGoal === undefined ? '' : `: ${withinGoal ? 'PASS' : 'FAIL'}, the goal is ${goal}`;
  return [
    what,
    `  ${other}  ${formatRun(native)}`,
    `  recipes       ${formatRun(recipes)}`,
    `  ratio         ${ratio.cpu} CPU, ${ratio.wall} wall time${verdict}`,
  ].join('\n');
}
