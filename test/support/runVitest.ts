// Runs the real Vitest command line as a child process, with a clean environment and a timeout.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { runMs } from './patience.js';

const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A folder with other versions of Vitest, Vite or Node. Its node_modules take precedence. */
const lane = process.env.RECIPEWRIGHT_VITEST_LANE;

/** Returns the folder of a package for the projects of these tests. */
export function moduleFolder(name: string): string {
  const inLane = lane === undefined ? '' : join(lane, 'node_modules', name);
  return inLane !== '' && existsSync(inLane) ? inLane : join(ownModules, name);
}

const laneNode = join(moduleFolder('node'), 'bin', 'node');
export const node = existsSync(laneNode) ? laneNode : process.execPath;

export type Ended = { exitCode: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

export type Started = {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves when stdout after the position `from` contains the string. */
  sees(text: string, from?: number): Promise<void>;
  /** Returns the current length of stdout. */
  position(): number;
  /** Returns stdout so far. */
  output(): string;
};

export type StartOptions = { cwd: string; env?: Record<string, string>; timeoutMs?: number };

export function startVitest(args: readonly string[], options: StartOptions): Started {
  return startProgram([join(moduleFolder('vitest'), 'vitest.mjs'), ...args], options);
}

export function startProgram(args: readonly string[], { cwd, env = {}, timeoutMs = runMs }: StartOptions): Started {
  // Uses a separate process group, so that a hanging run can be killed with its workers.
  const child = spawn(node, args, { cwd, env: { ...ownEnv(), ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const listener of listeners) listener();
    });
  const limit = setTimeout(() => stop(child), timeoutMs);
  onTestFinished(() => stop(child));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      clearTimeout(limit);
      resolve({ exitCode, signal, ...output });
    });
  });
  const sees = (text: string, from = 0): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (output.stdout.slice(from).includes(text)) resolve();
      };
      listeners.add(check);
      check();
      void ended.then((end) =>
        reject(new Error(`The program ended before stdout contained ${JSON.stringify(text)}: ${JSON.stringify(end)}`)),
      );
    });
  return { child, ended, sees, position: () => output.stdout.length, output: () => output.stdout };
}

// Environment variables of the test worker that would make the inner run believe that it is a worker, or color its output.
const outerVariables =
  /^(VITEST|VITE_|TEST$|NODE_ENV|NODE_OPTIONS|PROD$|DEV$|SSR$|MODE$|BASE_URL$|RECIPEWRIGHT_(?!BROWSER$)|FORCE_COLOR|NO_COLOR|NODE_V8_COVERAGE|CI$)/;

function ownEnv(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name, value]) => value !== undefined && !outerVariables.test(name));
  return { ...(Object.fromEntries(entries) as Record<string, string>), NO_COLOR: '1' };
}

function stop({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || (exitCode !== null && signalCode === null)) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: the process has already ended.
  }
}
