// Measures the cost of template recipes: node bench/template/run.mjs [--json]
// 1. Loads and compiles the packaged recipes of the reference implementation, for the first time in a process and then again. Takes
// the    best of several new processes. Uses the CPU time of the main thread if the system reports it, because the machine may be
// busy. 2. Runs `true` 200 times in sequence with runTemplate and with child_process.spawn, in alternating order. BENCH_ROUNDS sets
// the number of processes and rounds, by default 7.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runTemplate } from '../../dist/template.js';

const goals = { coldMs: 60, warmMs: 5, ratio: 1.15 };
const rounds = Number(process.env.BENCH_ROUNDS ?? '7');
const turns = 200;
const corpus = fileURLToPath(new URL('../../../shared/corpus/template/packaged', import.meta.url));
const env = { PATH: process.env.PATH };

const report = { rounds, ...(existsSync(corpus) ? measureLoading() : {}), ...(await measureRuns()), goals };
console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : formatReport(report));
process.exitCode = Object.entries(goals).some(([name, goal]) => report[name] > goal) ? 1 : 0;

function measureLoading() {
  const script = fileURLToPath(new URL('pass.mjs', import.meta.url));
  const results = Array.from({ length: rounds }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, corpus], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  });
  const { files, compiled } = results[0];
  const best = (name) => Math.min(...results.map((result) => result[name]));
  return { files, compiled, coldMs: best('coldMs'), warmMs: best('warmMs') };
}

async function measureRuns() {
  const template = Array.from({ length: turns }, () => 'true');
  // A sequence pipes the output of each command into the next one. So both sides have all three pipes, which is the default of
  // spawn. Only a separate process group, which allows killing the process tree, may cost more.
  const variants = {
    withoutStdin: () => runBySpawn({ stdio: ['ignore', 'pipe', 'pipe'] }),
    spawn: () => runBySpawn({}),
    ownGroup: () => runBySpawn({ detached: true }),
    runTemplate: () => runByTemplate(template),
  };
  const times = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? Object.keys(variants) : Object.keys(variants).reverse();
    for (const name of order) {
      const startedAt = performance.now();
      await variants[name]();
      times[name].push(performance.now() - startedAt);
    }
  }
  // Within a round, the load of the machine is about the same, so the median of the ratios of the rounds is the most reliable.
  const ms = Object.fromEntries(Object.entries(times).map(([name, variantTimes]) => [name, median(variantTimes)]));
  return { turns, ms, ratio: median(times.runTemplate.map((time, round) => time / times.spawn[round])) };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function runBySpawn(options) {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise((resolve, reject) => {
      const child = spawn('true', [], { env, ...options });
      child.stdin?.on('error', () => undefined).end(Buffer.alloc(0));
      child.stdout.resume();
      child.stderr.resume();
      child.on('error', reject);
      child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`"true" exited with code ${code}.`))));
    });
  }
}

async function runByTemplate(template) {
  const { ok, calls, error } = await runTemplate(template, {});
  if (!ok || calls.length !== turns) throw new Error(error ?? `${calls.length} commands were started.`);
}

function formatReport({ files, compiled, coldMs, warmMs, ms, ratio }) {
  const formatVerdict = (name, value, unit) => `${value <= goals[name] ? 'PASS' : 'FAIL'} (the goal is ${goals[name]}${unit})`;
  const loadLines =
    files === undefined
      ? ['The shared corpus does not exist, so loading is not measured.']
      : [
          `${files} packaged recipes, ${compiled} of them compiled, best of ${rounds} processes`,
          `cold ${coldMs.toFixed(1)} ms: ${formatVerdict('coldMs', coldMs, ' ms')}`,
          `warm ${warmMs.toFixed(1)} ms: ${formatVerdict('warmMs', warmMs, ' ms')}`,
        ];
  const times = Object.fromEntries(Object.entries(ms).map(([name, value]) => [name, `${value.toFixed(0)} ms`]));
  const runLine = `${turns} times "true": spawn ${times.spawn}, in a separate process group ${times.ownGroup}, without a pipe to stdin ${times.withoutStdin}, runTemplate ${times.runTemplate}, ratio ${ratio.toFixed(2)}: ${formatVerdict('ratio', ratio, '')}`;
  return [...loadLines, runLine].join('\n');
}
