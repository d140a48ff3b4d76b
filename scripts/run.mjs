// Runs child processes for the scripts, with printed or captured output. The processes end with the script.
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const running = new Set();
let listening = false;
let interrupted = false;
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
const windows = process.platform === 'win32';

/**
 * Runs a program. With `show: true`, the program prints to the terminal. Otherwise its output is returned, and `onLine` gets each
 * line. `timeoutMs` is the time limit of the program. `silentMs` is the time limit until `onLine` returns true for the first time.
 */
export function run(command, args, { cwd = root, env = {}, show = false, onLine, timeoutMs, silentMs, shell = false } = {}) {
  const startedAt = performance.now();
  // Uses a separate process group, so that one kill also reaches the child processes of npm.
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    shell,
    detached: !windows,
    stdio: show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  track(child);
  const output = [];
  let timeoutProblem;
  const stopAfter = (ms) => {
    timeoutProblem = `stopped after ${seconds(ms)}`;
    kill(child, 'SIGKILL');
  };
  const timers = [timeoutMs, silentMs].map((ms) => ms && setTimeout(stopAfter, ms, ms));
  const collect = (chunk) => {
    output.push(chunk);
    if (onLine) for (const line of String(chunk).split(/\r?\n/)) if (line && onLine(line)) clearTimeout(timers[1]);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  return new Promise((resolve) => {
    const finish = (code, problem) => {
      for (const timer of timers) clearTimeout(timer);
      running.delete(child);
      const ms = performance.now() - startedAt;
      resolve({ code: code ?? 1, ms, problem: timeoutProblem ?? problem, output: Buffer.concat(output).toString() });
    };
    child.on('error', (error) => finish(127, error.message));
    child.on('close', (code, signal) => finish(code, signal ? `ended by ${signal}` : code ? `exit code ${code}` : undefined));
  });
}

/** Runs a JavaScript tool of node_modules with the same Node. */
export function runTool(file, args, options) {
  return run(process.execPath, [path.join(root, 'node_modules', file), ...args], options);
}

export function runNpm(args, options) {
  const cli = process.env.npm_execpath;
  if (cli && path.basename(cli) === 'npm-cli.js') return run(process.execPath, [cli, ...args], options);
  return run(windows ? 'npm.cmd' : 'npm', args, { ...options, shell: windows });
}

/** Returns the last lines of the output of a failed program, indented. */
export function tail({ output, problem }, lines = 25) {
  const last = output.trimEnd().split('\n').slice(-lines);
  return [...last, problem ?? ''].map((line) => `    ${line}`.trimEnd()).join('\n');
}

export function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

function track(child) {
  running.add(child);
  if (listening) return;
  listening = true;
  for (const signal of Object.keys(exitCodes)) process.on(signal, () => interrupt(signal));
  process.on('exit', () => killAll('SIGKILL'));
}

// Gives the child processes ten seconds to clean up. A second signal ends them at once. They always get SIGINT, because Playwright
// stops its web server only on this signal.
function interrupt(signal) {
  const leave = () => process.exit(exitCodes[signal]);
  if (interrupted || running.size === 0) return leave();
  interrupted = true;
  setTimeout(leave, 10_000);
  for (const child of running) child.on('close', () => running.size === 0 && leave());
  killAll('SIGINT');
}

function killAll(signal) {
  for (const child of running) kill(child, signal);
}

function kill(child, signal) {
  if (!child.pid) return;
  if (windows) return void spawnSync('taskkill', ['/T', '/F', '/PID', String(child.pid)], { stdio: 'ignore' });
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
