// The state directory of a detached run: its options, its runner, its events and its result.
import { join } from 'node:path';
import type { Mailbox } from '../../formats/template/model.js';
import type { ContextRecord } from '../../formats/template/recipeContext.js';
import { outboxFileName } from '../../formats/template/runVariables.js';
import { systemClock } from '../../system/clock.js';
import { readBytesIfThere, writeFileAtomically } from '../../system/files/files.js';
import { appendLine } from '../../system/files/lineFile.js';
import { isLocked } from '../../system/files/lockFile.js';
import { hasChildProcesses, isTreeRunning } from '../../system/processes/detachedProcess.js';
import type { ProcessTree } from '../../system/processes/killTree.js';
import { verifyPackage } from '../../verify/verifyPackage.js';

/** run.json: the process that starts the run writes this file, and nothing changes it later. */
export type RunFile = {
  run: string;
  recipe: string;
  project_root: string;
  tag: string;
  started_at: string;
  inputs: Readonly<Record<string, string>>;
  setup?: string | undefined;
  libraries?: Readonly<Record<string, string>>;
  answers?: Readonly<Record<string, 'pass' | 'fail'>>;
  async: boolean;
  retire_when?: 'children_terminal';
  mailbox?: Mailbox;
  /** The recipes that contain a command, for programs that call a language model. Empty when the recipe opts out. */
  recipe_context_records?: readonly ContextRecord[];
  /** The state directory of the run that started this run. */
  parent?: string | undefined;
};

/** result.json: the runner writes this file when the run has ended. */
export type ResultFile = {
  run: string;
  status: Exclude<RunState, 'starting' | 'running' | 'crashed'>;
  verdict: 'pass' | 'fail' | 'unknown' | 'invalid';
  reason: string;
  exit_code: number;
  package?: string;
  completed_at: string;
};

/** Only `done` is a success. `crashed`: the runner has ended without a result, or with one that its evidence does not confirm. */
export type RunState = 'starting' | 'running' | 'done' | 'failed' | 'unknown' | 'invalid' | 'cancelled' | 'retired' | 'crashed';

export const stateFiles = {
  run: 'run.json',
  runner: 'runner.json',
  status: 'status.json',
  events: 'events.jsonl',
  outbox: outboxFileName,
  stdout: 'stdout.log',
  stderr: 'stderr.log',
  result: 'result.json',
  children: 'children.jsonl',
  package: 'package',
} as const;

/** The environment variable with the state directory of a run, for its commands. */
export const stateVariable = 'RECIPEWRIGHT_STATE_DIR';

export function readState<T>(dir: string, name: keyof typeof stateFiles): T | undefined {
  const bytes = readBytesIfThere(join(dir, stateFiles[name]));
  try {
    return bytes && (JSON.parse(bytes.toString()) as T);
  } catch {
    // SyntaxError: we write this file atomically, so another program changed it.
    return undefined;
  }
}

export function writeState(dir: string, name: keyof typeof stateFiles, content: object): void {
  writeFileAtomically(join(dir, stateFiles[name]), `${JSON.stringify(content, null, 2)}\n`);
}

export function appendEvent(dir: string, type: string, more: object = {}): void {
  appendLine(join(dir, stateFiles.events), JSON.stringify({ at: systemClock.wall(), type, ...more }));
}

/** Turns a line that is not a JSON object into a record of the type `unreadable`: commands of the run can write to these files too. */
export function readRecords(dir: string, name: 'events' | 'children'): Record<string, unknown>[] {
  const text = readBytesIfThere(join(dir, stateFiles[name]))?.toString() ?? '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseObject(line) ?? { type: 'unreadable', text: line.slice(0, 1_000) });
}

/** Returns undefined when the line is not a JSON object. */
export function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    // SyntaxError: a command of the run wrote the line.
    return undefined;
  }
}

/** The state directories of the runs that this run started. */
export function childRunDirs(dir: string): string[] {
  return readRecords(dir, 'children').flatMap(({ stateDir }) => (typeof stateDir === 'string' ? [stateDir] : []));
}

/** Returns undefined when the directory holds no run. `holdsLock`: the caller holds the lock of the run and has not started a runner. */
export function readRunState(dir: string, { holdsLock = false } = {}): RunState | undefined {
  const runFile = readState<RunFile>(dir, 'run');
  if (!runFile) return undefined;
  const runner = readState<ProcessTree>(dir, 'runner');
  if (!runner) return isStarting(dir, runFile, holdsLock) ? 'starting' : 'crashed';
  // While the runner runs, a result can only come from one of its commands, which can write to the directory too.
  if (isTreeRunning(runner)) return 'running';
  const result = readState<ResultFile>(dir, 'result');
  if (result && (result.status !== 'done' || isConfirmedByPackage(dir, runFile))) return result.status;
  return readRecords(dir, 'events').some(({ type }) => type === 'run.cancel') ? 'cancelled' : 'crashed';
}

/** Whether the package is complete and its verdict is `pass`. */
function isConfirmedByPackage(dir: string, { project_root: projectRoot }: RunFile): boolean {
  const { status, verdict } = verifyPackage(join(dir, stateFiles.package), { projectRoot });
  return status === 'verified' && verdict === 'pass';
}

export function lockPath(dir: string): string {
  return `${dir}.lock`;
}

// If the starting process has died, its runner may run and not have written its state yet.
function isStarting(dir: string, { tag }: RunFile, holdsLock: boolean): boolean {
  return (!holdsLock && isLocked(lockPath(dir))) || hasChildProcesses({ pid: 0, tag });
}

export function isTerminal(state: RunState | undefined): boolean {
  return state !== 'starting' && state !== 'running';
}
