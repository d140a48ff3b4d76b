// The state directory of a run that nobody waits for: what was asked, who runs it, what happened so far, what came of it.
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

/** run.json: written by the starter and never changed. */
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
  /** The recipes around a command, for a program that asks a language model; none when the recipe opts out. */
  recipe_context_records?: readonly ContextRecord[];
  /** The state directory of the run that started it. */
  parent?: string | undefined;
};

/** result.json: there is none until the run is over, and only the runner writes it. */
export type ResultFile = {
  run: string;
  status: Exclude<RunState, 'starting' | 'running' | 'crashed'>;
  verdict: 'pass' | 'fail' | 'unknown' | 'invalid';
  reason: string;
  exit_code: number;
  package?: string;
  completed_at: string;
};

/** Only `done` is good. `crashed`: the runner is gone and left no result, or none that its evidence bears out. */
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

/** What the commands of a run find their state directory by. */
export const stateVariable = 'RECIPEWRIGHT_STATE_DIR';

export function readState<T>(dir: string, name: keyof typeof stateFiles): T | undefined {
  const bytes = readBytesIfThere(join(dir, stateFiles[name]));
  try {
    return bytes && (JSON.parse(bytes.toString()) as T);
  } catch {
    // SyntaxError: it is written whole or not at all, so somebody else wrote this.
    return undefined;
  }
}

export function writeState(dir: string, name: keyof typeof stateFiles, content: object): void {
  writeFileAtomically(join(dir, stateFiles[name]), `${JSON.stringify(content, null, 2)}\n`);
}

export function appendEvent(dir: string, type: string, more: object = {}): void {
  appendLine(join(dir, stateFiles.events), JSON.stringify({ at: systemClock.wall(), type, ...more }));
}

/** The commands of a run can write there, too: what is no object is told as what it is, and takes nothing along. */
export function readRecords(dir: string, name: 'events' | 'children'): Record<string, unknown>[] {
  const text = readBytesIfThere(join(dir, stateFiles[name]))?.toString() ?? '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseObject(line) ?? { type: 'unreadable', text: line.slice(0, 1_000) });
}

/** Undefined for what is no JSON object. */
export function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    // SyntaxError: somebody else wrote it.
    return undefined;
  }
}

/** The state directories of the runs that it started. */
export function childRunDirs(dir: string): string[] {
  return readRecords(dir, 'children').flatMap(({ stateDir }) => (typeof stateDir === 'string' ? [stateDir] : []));
}

/** Undefined where there is no run. `isOurs`: whoever asks holds the lock, and has not started anything yet. */
export function readRunState(dir: string, { isOurs = false } = {}): RunState | undefined {
  const runFile = readState<RunFile>(dir, 'run');
  if (!runFile) return undefined;
  const runner = readState<ProcessTree>(dir, 'runner');
  if (!runner) return isStarting(dir, runFile, isOurs) ? 'starting' : 'crashed';
  // The commands of a run can write to its directory, too: as long as it runs, no result is its own.
  if (isTreeRunning(runner)) return 'running';
  const result = readState<ResultFile>(dir, 'result');
  if (result && (result.status !== 'done' || isConfirmedByPackage(dir, runFile))) return result.status;
  return readRecords(dir, 'events').some(({ type }) => type === 'run.cancel') ? 'cancelled' : 'crashed';
}

/** Whether the evidence is whole and says so, too. */
function isConfirmedByPackage(dir: string, { project_root: projectRoot }: RunFile): boolean {
  const { status, verdict } = verifyPackage(join(dir, stateFiles.package), { projectRoot });
  return status === 'verified' && verdict === 'pass';
}

export function lockPath(dir: string): string {
  return `${dir}.lock`;
}

// A starter that died starts nothing any more, but what it started may just be about to say that it runs.
function isStarting(dir: string, { tag }: RunFile, isOurs: boolean): boolean {
  return (!isOurs && isLocked(lockPath(dir))) || hasChildProcesses({ pid: 0, tag });
}

export function isTerminal(state: RunState | undefined): boolean {
  return state !== 'starting' && state !== 'running';
}
