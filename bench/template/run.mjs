// What template recipes cost: node bench/template/run.mjs [--json]
// 1. The packaged recipes of the reference, loaded and compiled: the first time in a process, and again. Fresh processes, the best of them.
// 2. 200 times `true`, one after the other, by runTemplate and by child_process.spawn, turn by turn.
// BENCH_ROUNDS=7 processes and rounds. The time of the main thread is taken where the system tells it: the machine may be busy.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runTemplate } from '../../dist/template.js';

const goals = { coldMs: 60, warmMs: 5, ratio: 1.15 };
const rounds = Number(process.env.BENCH_ROUNDS ?? '7');
const turns = 200;
const corpus = fileURLToPath(new URL('../../../shared/corpus/template/packaged', import.meta.url));
const env = { PATH: process.env.PATH };

const report = { rounds, ...(existsSync(corpus) ? loading() : {}), ...(await running()), goals };
console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : inWords(report));
process.exitCode = Object.entries(goals).some(([name, goal]) => report[name] > goal) ? 1 : 0;

function loading() {
  const script = fileURLToPath(new URL('pass.mjs', import.meta.url));
  const all = Array.from({ length: rounds }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, corpus], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  });
  const { files, made } = all[0];
  const best = (name) => Math.min(...all.map((one) => one[name]));
  return { files, made, coldMs: best('coldMs'), warmMs: best('warmMs') };
}

async function running() {
  const template = Array.from({ length: turns }, () => 'true');
  // A sequence hands on what each command wrote, so the same pipes are there on both sides: all three, as spawn has them unless
  // it is told otherwise. A process in a group of its own, which can be killed as a tree, is all that may cost more.
  const ways = {
    withoutStdin: () => plainly({ stdio: ['ignore', 'pipe', 'pipe'] }),
    spawn: () => plainly({}),
    ownGroup: () => plainly({ detached: true }),
    runTemplate: () => byTemplate(template),
  };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? Object.keys(ways) : Object.keys(ways).reverse();
    for (const name of order) {
      const began = performance.now();
      await ways[name]();
      times[name].push(performance.now() - began);
    }
  }
  // What ran side by side met the same machine: the middle one of the rounds' ratios is nearest to the truth.
  const ms = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
  return { turns, ms, ratio: median(times.runTemplate.map((time, round) => time / times.spawn[round])) };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function plainly(options) {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise((resolve, reject) => {
      const child = spawn('true', [], { env, ...options });
      child.stdin?.on('error', () => undefined).end(Buffer.alloc(0));
      child.stdout.resume();
      child.stderr.resume();
      child.on('error', reject);
      child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`"true" ended with ${code}.`))));
    });
  }
}

async function byTemplate(template) {
  const { ok, calls, error } = await runTemplate(template, {});
  if (!ok || calls.length !== turns) throw new Error(error ?? `${calls.length} commands were started.`);
}

function inWords({ files, made, coldMs, warmMs, ms, ratio }) {
  const said = (name, value, unit) => `${value <= goals[name] ? 'PASS' : 'FAIL'} (the goal is ${goals[name]}${unit})`;
  const load =
    files === undefined
      ? ['The shared corpus is not here: loading is not measured.']
      : [
          `${files} packaged recipes, ${made} of them compiled, best of ${rounds} processes`,
          `cold ${coldMs.toFixed(1)} ms: ${said('coldMs', coldMs, ' ms')}`,
          `warm ${warmMs.toFixed(1)} ms: ${said('warmMs', warmMs, ' ms')}`,
        ];
  const shown = Object.fromEntries(Object.entries(ms).map(([name, value]) => [name, `${value.toFixed(0)} ms`]));
  const run = `${turns} times "true": spawn ${shown.spawn}, in a group of its own ${shown.ownGroup}, without a pipe to stdin ${shown.withoutStdin}, runTemplate ${shown.runTemplate}, ratio ${ratio.toFixed(2)}: ${said('ratio', ratio, '')}`;
  return [...load, run].join('\n');
}
