// Measures the cost of runProcess, compared with child_process.spawn: node bench/spawn/run.mjs [--json]
// Runs `true` 200 times with each of them and collects its output, in alternating order in one process.
// BENCH_ROUNDS sets the number of rounds, by default 5. BENCH_BUILD=<a built file that exports runProcess> measures this file
// instead of the sources.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';

const goal = 1.6;
const turns = 200;
const warmUp = 20;
const rounds = Number(process.env.BENCH_ROUNDS ?? '5');
/** Both run the same program in the same folder with the same environment, so only the wrapper differs. */
const env = { PATH: process.env.PATH };
const root = fileURLToPath(new URL('../../', import.meta.url));

const { runProcess } = await load();
const { signal } = new AbortController();
const variants = { spawn: runBySpawn, runProcess: runByRunProcess };
const report = await measure();
console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : formatReport(report));
process.exitCode = report.ratio > goal ? 1 : 0;

// The wrapper is not an entry point of the package, so it is built separately, with the same options as the package.
async function load() {
  const outDir = path.join(root, 'bench/spawn/generated');
  if (process.env.BENCH_BUILD) return import(pathToFileURL(path.resolve(process.env.BENCH_BUILD)));
  const entry = { runProcess: path.join(root, 'src/system/processes/runProcess.ts') };
  await build({ entry, outDir, format: 'esm', target: 'node20.19', outExtension, config: false, silent: true, dts: false });
  return import(pathToFileURL(path.join(outDir, 'runProcess.mjs')));
}

function outExtension() {
  return { js: '.mjs' };
}

async function measure() {
  const all = { spawn: [], runProcess: [] };
  const ratios = [];
  for (let round = 0; round < rounds; round++) {
    const times = await measureRound();
    ratios.push(median(times.runProcess) / median(times.spawn));
    for (const name of Object.keys(all)) all[name].push(...times[name]);
  }
  const msEach = Object.fromEntries(Object.entries(all).map(([name, times]) => [name, median(times)]));
  return { rounds, turns, msEach, ratios, ratio: median(ratios), goal };
}

async function measureRound() {
  const times = { spawn: [], runProcess: [] };
  for (let turn = 0; turn < turns + warmUp; turn++) {
    const order = turn % 2 === 0 ? Object.keys(variants) : Object.keys(variants).reverse();
    for (const name of order) {
      const ms = await measureOnce(variants[name]);
      if (turn >= warmUp) times[name].push(ms);
    }
  }
  return times;
}

async function measureOnce(runTrue) {
  const startedAt = performance.now();
  const code = await runTrue();
  const ms = performance.now() - startedAt;
  if (code !== 0) throw new Error(`"true" exited with code ${code} or wrote output.`);
  return ms;
}

function runBySpawn() {
  const child = spawn('true', [], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [[], []];
  child.stdout.on('data', (chunk) => stdout.push(chunk));
  child.stderr.on('data', (chunk) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code + Buffer.concat(stdout).length + Buffer.concat(stderr).length));
  });
}

async function runByRunProcess() {
  const { exitCode, stdout, stderr } = await runProcess({ command: ['true'], cwd: root, env, signal, tag: 'bench/true' });
  return exitCode + stdout.size + stderr.size;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function formatReport({ msEach, ratio, ratios }) {
  const lines = Object.entries(msEach).map(([name, ms]) => `${name.padEnd(12)} ${ms.toFixed(2).padStart(6)} ms for one "true"`);
  const verdict = `${ratio <= goal ? 'PASS' : 'FAIL'}: runProcess takes ${ratio.toFixed(2)} times as long as spawn, the goal is ${goal}`;
  const each = `ratio of each round: ${ratios.map((value) => value.toFixed(2)).join(', ')}`;
  return [`${rounds} rounds of ${turns}, in alternating order`, ...lines, each, verdict].join('\n');
}
