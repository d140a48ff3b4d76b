// Ends a process and every process that it started, inside and outside its group. Also ends the processes that a run left running.
import { systemClock } from '../clock.js';
import { belongsToRun, canSeeProcesses, carriesTag, listProcesses, type RunningProcess, runIdOfTag } from './processTable.js';

/** `pid`: the leader of a process group. `tag`: the tag of this process and its descendants. */
export type ProcessTree = { pid: number; tag: string };

/** A killed process that waits for a disk takes some time to end. */
const killMs = 1_000;
const sweepGraceMs = 1_000;
const maxPauseMs = 100;

/** Sends SIGTERM, then SIGKILL. Returns the names of processes that could not be killed. */
export async function killTree({ pid, tag }: ProcessTree, graceMs: number): Promise<string[]> {
  const find = (): RunningProcess[] => withDescendants((one) => one.group === pid || carriesTag(one, tag), [pid]);
  return (await endProcesses({ find, groups: [pid] }, graceMs)).map(describeProcess);
}

/** Ends the processes that the nodes of a run left running, and returns their names. Call this when the run has ended. */
export async function sweepRun(runId: string): Promise<string[]> {
  const groups = [...trees].filter(([, tag]) => runIdOfTag(tag) === runId).map(([pid]) => pid);
  const started = openRuns.delete(runId);
  for (const pid of groups) trees.delete(pid);
  removeExitHook();
  if (!started) return [];
  const find = (): RunningProcess[] => withDescendants((one) => groups.includes(one.group) || belongsToRun(one, runId), groups);
  const names = new Map<number, string>();
  const findAndRecord = (): RunningProcess[] => {
    const living = find();
    for (const one of living) names.set(one.pid, describeProcess(one));
    return living;
  };
  await endProcesses({ find: findAndRecord, groups }, sweepGraceMs);
  return [...names.values()];
}

/** Process groups that may have members, and runs that may have left processes. All of them are killed when this process exits. */
const trees = new Map<number, string>();
const openRuns = new Set<string>();

export function registerTree({ pid, tag }: ProcessTree): void {
  trees.set(pid, tag);
  openRuns.add(runIdOfTag(tag));
  process.off('exit', killAllNow);
  process.once('exit', killAllNow);
}

/** Removes the listener when there is nothing to kill, for the code that runs in this process later. */
function removeExitHook(): void {
  if (trees.size === 0 && openRuns.size === 0) process.off('exit', killAllNow);
}

/** Call this when the first process of a group has ended. A group with other members stays registered until sweepRun(). */
export function unregisterTree(pid: number): void {
  if (!isGroupAlive(pid)) trees.delete(pid);
}

// An "exit" listener cannot wait, so all processes are killed at once.
function killAllNow(): void {
  for (const pid of trees.keys()) signalProcess(-pid, 'SIGKILL');
  if (openRuns.size === 0) return;
  for (const one of listProcesses())
    if ([...openRuns].some((runId) => belongsToRun(one, runId))) signalProcess(one.pid, 'SIGKILL');
}

type KillTarget = { find(): RunningProcess[]; groups: readonly number[] };

async function endProcesses({ find, groups }: KillTarget, graceMs: number): Promise<RunningProcess[]> {
  signalAll(find(), groups, 'SIGTERM');
  let remaining = await waitForEnd(find, graceMs);
  // Repeats the signal, because a process may fork between the listing and the signal.
  for (const until = systemClock.now() + killMs; remaining.length > 0 && systemClock.now() < until; ) {
    signalAll(remaining, groups, 'SIGKILL');
    remaining = await waitForEnd(find, maxPauseMs);
  }
  return remaining;
}

async function waitForEnd(find: () => RunningProcess[], graceMs: number): Promise<RunningProcess[]> {
  const until = systemClock.now() + graceMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    await new Promise<void>((resume) => systemClock.after(Math.min(pauseMs, Math.max(1, until - systemClock.now())), resume));
    const remaining = find();
    if (remaining.length === 0 || systemClock.now() >= until) return remaining;
  }
}

// Sends each process only one signal, because some programs end at once on a second SIGTERM.
function signalAll(living: readonly RunningProcess[], groups: readonly number[], signal: NodeJS.Signals): void {
  for (const group of groups) signalProcess(-group, signal);
  for (const { pid, group } of living) if (!groups.includes(group)) signalProcess(pid, signal);
}

// A child that called setsid() is not in the group, and a child that cleared its environment has no tag. Both still have their parent.
function withDescendants(isRoot: (one: RunningProcess) => boolean, groups: readonly number[]): RunningProcess[] {
  if (!canSeeProcesses()) return groups.filter(isGroupAlive).map(toRunningProcess);
  const all = listProcesses();
  const ownProcesses = new Set(all.filter(isRoot));
  const pids = new Set([...ownProcesses].map(({ pid }) => pid));
  for (let before = -1; before < ownProcesses.size; ) {
    before = ownProcesses.size;
    for (const one of all) if (pids.has(one.parent)) pids.add(ownProcesses.add(one) && one.pid);
  }
  return [...ownProcesses];
}

function toRunningProcess(pid: number): RunningProcess {
  return { pid, parent: 0, group: pid, name: 'process group', tags: [] };
}

function describeProcess({ name, pid }: RunningProcess): string {
  return `${name} (pid ${pid})`;
}

// Creates the expected error without a stack, which would take most of the time.
function isGroupAlive(pid: number): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const isAlive = signalProcess(-pid, 0);
  Error.stackTraceLimit = stackTraceLimit;
  return isAlive;
}

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    // Windows has no groups.
    return process.kill(process.platform === 'win32' ? Math.abs(pid) : pid, signal);
  } catch {
    // ESRCH: the process has ended. EPERM: the process now belongs to another user, and is reported as not killed.
    return false;
  }
}
