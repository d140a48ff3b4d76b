// Runs the real Playwright command line as a child process, with a clean environment and a timeout.
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runMs } from './patience.js';

/**
 * The node_modules of the repository, or of another folder in which the package is installed with other versions of Playwright.
 */
export const nodeModules =
  process.env.RECIPEWRIGHT_MODULES ??
  dirname(dirname(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json'))));

export const playwrightCli = join(nodeModules, '@playwright/test/cli.js');

export type Ended = { exitCode: number | null; stdout: string; stderr: string };

/**
 * A signal that is sent only to the Playwright process, `afterMs` after its output contains `when`. With `repeatAfterMs`, the
 * signal is sent again if the run has not ended. A SIGINT while workers start makes Playwright wait forever (1.65, also with
 * native tests). A second SIGINT ends it.
 */
export type SendSignal = { when: string; signal: NodeJS.Signals; afterMs?: number; repeatAfterMs?: number };

type Options = {
  cwd: string;
  env?: Record<string, string>;
  timeoutMs?: number;
  send?: SendSignal;
  /** Gets the whole stdout whenever there is new output. */
  hears?: (stdout: string) => void;
};

/** The running child processes. A stopped test no longer waits for its run, so its child process is stopped separately. */
const running = new Set<ChildProcess>();

export async function stopRunning(): Promise<void> {
  const ended = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of running) stop(child);
  await Promise.all(ended);
}

export function runPlaywright(args: readonly string[], options: Options): Promise<Ended> {
  const { cwd, env = {}, timeoutMs = runMs, send, hears } = options;
  const child = spawn(process.execPath, [playwrightCli, ...args], {
    cwd,
    env: { ...playwrightEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Uses a separate process group, so that a hanging run can be killed with its workers.
    detached: process.platform !== 'win32',
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  const output = { stdout: '', stderr: '' };
  let toSend = send;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
    hears?.(output.stdout);
    if (!toSend || !output.stdout.includes(toSend.when)) return;
    const { signal: name, afterMs, repeatAfterMs } = toSend;
    toSend = undefined;
    if (afterMs === undefined) child.kill(name);
    else setTimeout(() => child.kill(name), afterMs).unref();
    if (repeatAfterMs !== undefined) setTimeout(() => child.kill(name), (afterMs ?? 0) + repeatAfterMs).unref();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return new Promise((resolve, reject) => {
    let timedOut = false;
    const limit = setTimeout(() => {
      timedOut = true;
      stop(child);
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (exitCode) => {
      clearTimeout(limit);
      // Workers of a killed run notice the kill a little later, and can still write files until then.
      const isKilled = exitCode === null;
      if (!timedOut)
        void (isKilled ? waitForGroupEnd(child.pid) : Promise.resolve()).then(() => resolve({ exitCode, ...output }));
      else
        reject(new Error(`playwright ${args.join(' ')} did not end within ${timeoutMs} ms.\n${output.stdout}\n${output.stderr}`));
    });
  });
}

/** Waits until the process group has ended, but not forever: a program that a killed worker had started may still run. */
async function waitForGroupEnd(pid: number | undefined): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    try {
      if (pid === undefined || process.platform === 'win32') return;
      process.kill(-pid, 0);
    } catch {
      return; // ESRCH: the group has no processes.
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Environment variables of the test worker that would make the inner run believe that it is a worker, or color its output.
const outerVariables =
  /^(CI$|TEST_(WORKER|PARALLEL)_INDEX|PW|PLAYWRIGHT_(?!BROWSERS_PATH)|RECIPEWRIGHT_(?!BROWSER$)|FORCE_COLOR|DEBUG_COLORS|NO_COLOR|NODE_V8_COVERAGE)/;

export function playwrightEnv(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name, value]) => value !== undefined && !outerVariables.test(name));
  return { ...Object.fromEntries(entries), PLAYWRIGHT_HTML_OPEN: 'never' } as Record<string, string>;
}

// Browsers have separate process groups. Playwright closes them on SIGINT, but not on SIGKILL.
function stop(child: ChildProcess): void {
  signal(child, 'SIGINT');
  const killTimer = setTimeout(() => signal(child, 'SIGKILL'), 10_000);
  child.once('close', () => clearTimeout(killTimer));
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, name);
  } catch {
    // ESRCH: the process has already ended.
  }
}
