// What a recipe costs over the hand-written spec: node bench/run.mjs [--json] [--keep]
// BENCH_ROUNDS=50 measured rounds; BENCH_SPECS=picture for a recipe whose tenth node takes a picture; BENCH_OTHER=<dist folder of a second build, below a node_modules> runs that one beside ours.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runTool, tail } from '../scripts/run.mjs';
import { readStamp, sourceHash } from '../scripts/stamp.mjs';
import { compare } from './overhead/compare.mjs';
import { generate, generated } from './overhead/generate.mjs';
import { inWords } from './overhead/inWords.mjs';

const goals = { cpuMs: 1.1, ms: 1.05 };
const dropped = 3;
const actions = 10;

const folder = path.dirname(generated);
const results = path.join(generated, 'results.jsonl');
const packages = path.join(generated, 'packages');
const rounds = readRounds(process.env.BENCH_ROUNDS ?? '50');
if (readStamp().build !== sourceHash()) console.error('The build is older than the source; npm run build makes a new one.');
const variants = generate(rounds + dropped, process.env.BENCH_OTHER, process.env.BENCH_SPECS);
await runTests();
const report = judge(compare(readLines(), { variants, dropped }));
if (!process.argv.includes('--keep')) {
  for (const name of ['generated', 'test-results']) rmSync(path.join(folder, name), { recursive: true, force: true });
}
console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : inWords(report));
process.exitCode = hasSlipped(report.ratios['recipe/native']) ? 1 : 0;

// The time depends on whatever else the machine does: of it, only what is worse for certain counts.
function hasSlipped({ cpuMs, ms }) {
  return cpuMs.ratio > goals.cpuMs || ms.low > goals.ms;
}

function readRounds(text) {
  const given = Number(text);
  if (Number.isInteger(given) && given > 0) return given;
  console.error(`BENCH_ROUNDS is ${JSON.stringify(text)}: give a whole number from 1.`);
  process.exit(2);
}

async function runTests() {
  const env = { BENCH_RESULTS: results, RECIPEWRIGHT_OUTPUT_DIR: packages };
  const done = await runTool('@playwright/test/cli.js', ['test'], { cwd: folder, env });
  if (done.code !== 0) giveUp(`The tests to be measured failed:\n${tail(done, 40)}`);
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

// A recipe that did less than the specs would look cheap: each one has to have passed with all of its nodes, the end included.
function checkPackages(expected) {
  const files = readdirSync(packages, { recursive: true }).filter((file) => path.basename(file) === 'summary.json');
  const summaries = files.map((file) => JSON.parse(readFileSync(path.join(packages, file), 'utf8')));
  const whole = summaries.filter(({ status, passed }) => status === 'pass' && passed === actions + 1).length;
  if (whole !== expected)
    giveUp(`${expected} recipes ran, but ${whole} of ${summaries.length} packages say that all of it passed.`);
}

function judge(compared) {
  const { recipe, native } = compared.variants;
  const ratios = compared.ratios['recipe/native'];
  const passed = Object.entries(goals).every(([measure, goal]) => ratios[measure].ratio <= goal);
  const perNodeUs = ((recipe.cpuMs.median - native.cpuMs.median) * 1000) / actions;
  return { goals, passed, perNodeUs, dropped, ...compared };
}

function giveUp(message) {
  console.error(message);
  process.exit(3);
}
