// The real Playwright command line as a child process, with its own environment and a time limit.
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runMs } from './patience.js';

/** The repository's own; or those of another place, where the package is installed beside other versions. */
export const nodeModules =
  process.env.RECIPEWRIGHT_MODULES ??
  dirname(dirname(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json'))));

export const playwrightCli = join(nodeModules, '@playwright/test/cli.js');

export type Ended = { exitCode: number | null; stdout: string; stderr: string };

/**
 * Sent to Playwright alone, once its output has the text, or so much later. `repeatAfterMs`: sent again when the run still goes on.
 * A SIGINT while workers start leaves Playwright waiting for ever (1.65, native tests too); a second one ends it.
 */
export type SendSignal = { when: string; signal: NodeJS.Signals; afterMs?: number; repeatAfterMs?: number };

type Options = {
  cwd: string;
  env?: Record<string, string>;
  timeoutMs?: number;
  send?: SendSignal;
  /** Hears all that it has printed so far, whenever there is more. */
  hears?: (stdout: string) => void;
};

/** A test that is stopped itself never hears of its run again; what it started must still go. */
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
    // A group of its own, so that a run that hangs goes away with its workers.
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
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      stop(child);
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (exitCode) => {
      clearTimeout(limit);
      // Workers of a run that was killed notice a little later, and may still write until then.
      const isKilled = exitCode === null;
      if (!late) void (isKilled ? groupIsGone(child.pid) : Promise.resolve()).then(() => resolve({ exitCode, ...output }));
      else
        reject(new Error(`playwright ${args.join(' ')} did not end within ${timeoutMs} ms.\n${output.stdout}\n${output.stderr}`));
    });
  });
}

/** Not for ever: a program that a killed worker had started may stay. */
async function groupIsGone(pid: number | undefined): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    try {
      if (pid === undefined || process.platform === 'win32') return;
      process.kill(-pid, 0);
    } catch {
      return; // ESRCH: nobody is left in it
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// A worker that runs these tests has variables that would make the inner run believe it is one, or colour its output, as CI does.
const outer =
  /^(CI$|TEST_(WORKER|PARALLEL)_INDEX|PW|PLAYWRIGHT_(?!BROWSERS_PATH)|RECIPEWRIGHT_(?!BROWSER$)|FORCE_COLOR|DEBUG_COLORS|NO_COLOR|NODE_V8_COVERAGE)/;

export function playwrightEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !outer.test(name));
  return { ...Object.fromEntries(kept), PLAYWRIGHT_HTML_OPEN: 'never' } as Record<string, string>;
}

// Playwright closes its browsers, which have groups of their own, only when it is asked kindly.
function stop(child: ChildProcess): void {
  signal(child, 'SIGINT');
  const last = setTimeout(() => signal(child, 'SIGKILL'), 10_000);
  child.once('close', () => clearTimeout(last));
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, name);
  } catch {
    // ESRCH: it ended by itself in this moment.
  }
}
