// Measures the cost of a recipe, compared with a hand-written spec: node bench/run.mjs [--json] [--keep]
// BENCH_ROUNDS sets the number of measured rounds, by default 50. BENCH_SPECS=picture uses a recipe whose tenth node takes a
// screenshot. BENCH_OTHER=<the dist folder of a second build, inside a node_modules> also measures that build.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runTool, tail } from '../scripts/run.mjs';
import { readStamp, sourceHash } from '../scripts/stamp.mjs';
import { compare } from './overhead/compare.mjs';
import { formatReport } from './overhead/formatReport.mjs';
import { generate, generated } from './overhead/generate.mjs';

const goals = { cpuMs: 1.1, ms: 1.05 };
const dropped = 3;
const actions = 10;

const folder = path.dirname(generated);
const results = path.join(generated, 'results.jsonl');
const packages = path.join(generated, 'packages');
const rounds = readRounds(process.env.BENCH_ROUNDS ?? '50');
if (readStamp().build !== sourceHash()) console.error('The build is older than the source. Run npm run build.');
const variants = generate(rounds + dropped, process.env.BENCH_OTHER, process.env.BENCH_SPECS);
await runTests();
const report = judge(compare(readLines(), { variants, dropped }));
if (!process.argv.includes('--keep')) {
  for (const name of ['generated', 'test-results']) rmSync(path.join(folder, name), { recursive: true, force: true });
}
console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : formatReport(report));
process.exitCode = missesGoals(report.ratios['recipe/native']) ? 1 : 0;

// The wall time depends on the load of the machine, so it fails only when even the lower end of its range is worse than the goal.
function missesGoals({ cpuMs, ms }) {
  return cpuMs.ratio > goals.cpuMs || ms.low > goals.ms;
}

function readRounds(text) {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  console.error(`BENCH_ROUNDS is ${JSON.stringify(text)}, but it must be a whole number greater than 0.`);
  process.exit(2);
}

async function runTests() {
  const env = { BENCH_RESULTS: results, RECIPEWRIGHT_OUTPUT_DIR: packages };
  const result = await runTool('@playwright/test/cli.js', ['test'], { cwd: folder, env });
  if (result.code !== 0) giveUp(`The measured tests failed:\n${tail(result, 40)}`);
}

function readLines() {
  const lines = readFileSync(results, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const expected = (rounds + dropped) * variants.length;
  const workers = new Set(lines.map(({ workerIndex }) => workerIndex)).size;
  if (lines.length !== expected || workers !== 1) {
    giveUp(`Expected ${expected} tests in one worker, but ${lines.length} ran in ${workers}.`);
  }
  checkPackages((rounds + dropped) * (variants.length - 2));
  return lines;
}

// A recipe that skips nodes would be too fast, so every recipe must have passed with all its nodes and its end.
function checkPackages(expected) {
  const files = readdirSync(packages, { recursive: true }).filter((file) => path.basename(file) === 'summary.json');
  const summaries = files.map((file) => JSON.parse(readFileSync(path.join(packages, file), 'utf8')));
  const completeCount = summaries.filter(({ status, passed }) => status === 'pass' && passed === actions + 1).length;
  if (completeCount !== expected)
    giveUp(`${expected} recipes ran, but in only ${completeCount} of ${summaries.length} packages all nodes passed.`);
}

function judge(comparison) {
  const { recipe, native } = comparison.variants;
  const ratios = comparison.ratios['recipe/native'];
  const passed = Object.entries(goals).every(([measure, goal]) => ratios[measure].ratio <= goal);
  const perNodeUs = ((recipe.cpuMs.median - native.cpuMs.median) * 1000) / actions;
  return { goals, passed, perNodeUs, dropped, ...comparison };
}

function giveUp(message) {
  console.error(message);
  process.exit(3);
}
