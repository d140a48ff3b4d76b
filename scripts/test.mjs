// Runs the set-up and then every lane of the command, even after a lane failed.
//   npm test                 the lanes for contributors
//   npm run test:versions    the lanes with other versions of Playwright, Vitest, Vite and Node
//   npm run test:all         both and the benches, with every file and the full counts
//   npm test -- unit e2e     the named lanes. After a single test lane, further arguments go to its tool.
import { stripVTControlCharacters } from 'node:util';
import { lanes, runLane } from './lanes.mjs';
import { seconds } from './run.mjs';
import { giveUp, setUp } from './setup.mjs';

const { selected, rest, isFull } = readArguments(process.argv.slice(2));
if (isFull) process.env.RECIPEWRIGHT_ALL = '1';
const results = [await prepare()];
for (const lane of selected) {
  console.log(`\n── ${lane.name}: ${lane.what}`);
  results.push(await runLane(lane, rest));
}
printSlowest(results);
printFailures(results);
printTable(results);
printTotal(results);
process.exitCode = results.every(({ problem }) => !problem) ? 0 : 1;

function readArguments([first, ...others]) {
  if (first === '--versions') return { selected: lanes.filter((lane) => lane.in === 'versions'), rest: refuseMore(others) };
  if (first === '--all') return { selected: lanes, rest: refuseMore(others), isFull: true };
  if (first === undefined) return { selected: lanes.filter((lane) => lane.in === 'test'), rest: [] };
  return readNames([first, ...others]);
}

function refuseMore(args) {
  if (args.length === 0) return args;
  console.error(`Unexpected argument "${args[0]}". To select lanes, run npm test -- unit.`);
  process.exit(2);
}

function readNames(args) {
  const names = lanes.map(({ name }) => name);
  const firstOther = args.findIndex((arg) => !names.includes(arg));
  const laneNames = firstOther < 0 ? args : args.slice(0, firstOther);
  const rest = args.slice(laneNames.length);
  if (rest.length > 0 && !(laneNames.length === 1 && lanes.find(({ name }) => name === laneNames[0]).report)) {
    console.error(`Unknown lane "${rest[0]}". Lanes: ${names.join(', ')}. Example: npm test -- unit`);
    process.exit(2);
  }
  return { selected: lanes.filter(({ name }) => laneNames.includes(name)), rest };
}

// After a failed build or without a browser, the other lanes still run. Without dependencies, no lane can run.
async function prepare() {
  const startedAt = performance.now();
  const result = { name: 'setup' };
  try {
    await setUp({ browser: selected.some((lane) => lane.report || lane.browser), tests: true });
  } catch (error) {
    if (error.stage !== 'build' && error.stage !== 'browser') giveUp(error);
    console.error(`\n✗ ${error.message}`);
    result.problem = error.stage === 'build' ? 'the build failed' : 'no browser';
  }
  return { ...result, ms: performance.now() - startedAt };
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

// Repeats the failures at the end, because the log is long and may be truncated.
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
  const width = Math.max(...rows.map(({ name }) => name.length));
  console.log(`\n${'lane'.padEnd(width)}  result  ${'time'.padStart(8)}`);
  for (const { name, problem, ms, counts } of rows) {
    const detail = [counts && formatCounts(counts), problem].filter(Boolean).join('; ');
    console.log(`${name.padEnd(width)}  ${problem ? 'FAILED' : 'ok    '}  ${seconds(ms).padStart(8)}  ${detail}`.trimEnd());
  }
  console.log('');
}

function printTotal(rows) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { counts, problem } of rows) {
    // A lane without tests, such as lint, counts as one failure when it fails.
    const laneCounts = counts ?? { passed: 0, failed: problem ? 1 : 0, skipped: 0 };
    for (const key of Object.keys(total)) total[key] += laneCounts[key];
  }
  console.log(formatCounts(total));
}

function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
