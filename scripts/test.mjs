// What "npm test" runs: set-up, then every lane, whatever the ones before it said.
// "npm test -- unit e2e" picks lanes; with one test lane, what follows its name goes to the tool.
import { lanes, runLane } from './lanes.mjs';
import { seconds } from './run.mjs';
import { giveUp, setUp } from './setup.mjs';

const { picked, rest } = readArguments(process.argv.slice(2));
const results = [await prepare()];
for (const lane of picked) {
  console.log(`\n── ${lane.name}: ${lane.what}`);
  results.push(await runLane(lane, rest));
}
printTable(results);
printTotal(results);
process.exitCode = results.every(({ problem }) => !problem) ? 0 : 1;

function readArguments(args) {
  const names = lanes.map(({ name }) => name);
  const firstOther = args.findIndex((arg) => !names.includes(arg));
  const chosen = firstOther < 0 ? args : args.slice(0, firstOther);
  const rest = args.slice(chosen.length);
  if (rest.length > 0 && !(chosen.length === 1 && lanes.find(({ name }) => name === chosen[0]).report)) {
    console.error(`Unknown lane "${rest[0]}". Lanes: ${names.join(', ')}. Example: npm test -- unit`);
    process.exit(2);
  }
  return { picked: chosen.length > 0 ? lanes.filter(({ name }) => chosen.includes(name)) : lanes, rest };
}

// A failed build or a missing browser still lets the other lanes say what they know; without dependencies nothing can run.
async function prepare() {
  const began = performance.now();
  const result = { name: 'setup' };
  try {
    await setUp({ browser: picked.some((lane) => lane.report), tests: true });
  } catch (error) {
    if (error.stage !== 'build' && error.stage !== 'browser') giveUp(error);
    console.error(`\n✗ ${error.message}`);
    result.problem = error.stage === 'build' ? 'the build failed' : 'no browser';
  }
  return { ...result, ms: performance.now() - began };
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
  for (const { counts } of rows) for (const key of Object.keys(total)) total[key] += counts?.[key] ?? 0;
  console.log(`tests: ${inWords(total)}`);
}

function inWords({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
