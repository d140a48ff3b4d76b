// The real Vitest command line as a child process, with its own environment and a time limit.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { runMs } from './patience.js';

const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Another Vitest, Vite or Node than this repository's: a folder whose node_modules are looked at first. */
const lane = process.env.RECIPEWRIGHT_VITEST_LANE;

/** Where a package lies that the projects of these tests get. */
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
  /** Settles when the output that came after `from` has the text. */
  sees(text: string, from?: number): Promise<void>;
  /** How long the output is by now. */
  position(): number;
  /** What stdout has so far. */
  output(): string;
};

export type StartOptions = { cwd: string; env?: Record<string, string>; timeoutMs?: number };

export function startVitest(args: readonly string[], options: StartOptions): Started {
  return startProgram([join(moduleFolder('vitest'), 'vitest.mjs'), ...args], options);
}

export function startProgram(args: readonly string[], { cwd, env = {}, timeoutMs = runMs }: StartOptions): Started {
  // A group of its own, so that a run that hangs goes away with its workers.
  const child = spawn(node, args, { cwd, env: { ...ownEnv(), ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output = { stdout: '', stderr: '' };
  const notice = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of notice) look();
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
      const look = (): void => {
        if (output.stdout.slice(from).includes(text)) resolve();
      };
      notice.add(look);
      look();
      void ended.then((end) => reject(new Error(`It ended before it said ${JSON.stringify(text)}: ${JSON.stringify(end)}`)));
    });
  return { child, ended, sees, position: () => output.stdout.length, output: () => output.stdout };
}

// A worker that runs these tests has variables that would make the inner run believe it is one, or colour its output.
const outer =
  /^(VITEST|VITE_|TEST$|NODE_ENV|NODE_OPTIONS|PROD$|DEV$|SSR$|MODE$|BASE_URL$|RECIPEWRIGHT_(?!BROWSER$)|FORCE_COLOR|NO_COLOR|NODE_V8_COVERAGE|CI$)/;

function ownEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !outer.test(name));
  return { ...(Object.fromEntries(kept) as Record<string, string>), NO_COLOR: '1' };
}

function stop({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || (exitCode !== null && signalCode === null)) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: it ended by itself.
  }
}
