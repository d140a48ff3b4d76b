// Runs the set-up, then every lane of the command, also after one that failed.
//   npm test                 what a contributor runs
//   npm run test:versions    other versions of Playwright, Vitest, Vite and Node
//   npm run test:all         both and the benches, with every file and the full counts
//   npm test -- unit e2e     the named lanes; with one test lane, what follows its name goes to its tool
import { stripVTControlCharacters } from 'node:util';
import { lanes, runLane } from './lanes.mjs';
import { seconds } from './run.mjs';
import { giveUp, setUp } from './setup.mjs';

const { picked, rest, isFull } = readArguments(process.argv.slice(2));
if (isFull) process.env.RECIPEWRIGHT_ALL = '1';
const results = [await prepare()];
for (const lane of picked) {
  console.log(`\n── ${lane.name}: ${lane.what}`);
  results.push(await runLane(lane, rest));
}
printSlowest(results);
printFailures(results);
printTable(results);
printTotal(results);
process.exitCode = results.every(({ problem }) => !problem) ? 0 : 1;

function readArguments([first, ...others]) {
  if (first === '--versions') return { picked: lanes.filter((lane) => lane.in === 'versions'), rest: refuseMore(others) };
  if (first === '--all') return { picked: lanes, rest: refuseMore(others), isFull: true };
  if (first === undefined) return { picked: lanes.filter((lane) => lane.in === 'test'), rest: [] };
  return readNames([first, ...others]);
}

function refuseMore(args) {
  if (args.length === 0) return args;
  console.error(`Unexpected argument "${args[0]}". To pick lanes, use: npm test -- unit`);
  process.exit(2);
}

function readNames(args) {
  const names = lanes.map(({ name }) => name);
  const firstOther = args.findIndex((arg) => !names.includes(arg));
  const chosen = firstOther < 0 ? args : args.slice(0, firstOther);
  const rest = args.slice(chosen.length);
  if (rest.length > 0 && !(chosen.length === 1 && lanes.find(({ name }) => name === chosen[0]).report)) {
    console.error(`Unknown lane "${rest[0]}". Lanes: ${names.join(', ')}. Example: npm test -- unit`);
    process.exit(2);
  }
  return { picked: lanes.filter(({ name }) => chosen.includes(name)), rest };
}

// A failed build or a missing browser still lets the other lanes say what they know; without dependencies nothing can run.
async function prepare() {
  const began = performance.now();
  const result = { name: 'setup' };
  try {
    await setUp({ browser: picked.some((lane) => lane.report || lane.browser), tests: true });
  } catch (error) {
    if (error.stage !== 'build' && error.stage !== 'browser') giveUp(error);
    console.error(`\n✗ ${error.message}`);
    result.problem = error.stage === 'build' ? 'the build failed' : 'no browser';
  }
  return { ...result, ms: performance.now() - began };
}

function printSlowest(rows) {
  const slowest = rows
    .flatMap(({ name, tests = [] }) => tests.map((test) => ({ ...test, lane: name })))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 20);
  if (slowest.length < 20) return;
  console.log('\nThe 20 slowest tests');
  for (const { lane, title, ms } of slowest) console.log(`${seconds(ms).padStart(8)}  ${lane}  ${title}`);
}

// Once more, at the end: the rest of the log is long, and a log may be cut.
function printFailures(rows) {
  for (const { name, tests = [] } of rows) {
    for (const { title, failure } of tests.filter((test) => test.failure !== undefined)) {
      const lines = stripVTControlCharacters(failure).trimEnd().split('\n');
      console.log(`\n✗ ${name}  ${title}`);
      for (const line of lines.slice(0, 12)) console.log(`    ${line.slice(0, 300)}`.trimEnd());
      if (lines.length > 12) console.log(`    … ${lines.length - 12} more lines above`);
    }
  }
}

function printTable(rows) {
  const wide = Math.max(...rows.map(({ name }) => name.length));
  console.log(`\n${'lane'.padEnd(wide)}  result  ${'time'.padStart(8)}`);
  for (const { name, problem, ms, counts } of rows) {
    const detail = [counts && inWords(counts), problem].filter(Boolean).join('; ');
    console.log(`${name.padEnd(wide)}  ${problem ? 'FAILED' : 'ok    '}  ${seconds(ms).padStart(8)}  ${detail}`.trimEnd());
  }
  console.log('');
}

function printTotal(rows) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { counts, problem } of rows) {
    // A lane that counts no tests, such as lint, is one failure of its own.
    const own = counts ?? { passed: 0, failed: problem ? 1 : 0, skipped: 0 };
    for (const key of Object.keys(total)) total[key] += own[key];
  }
  console.log(inWords(total));
}

function inWords({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
