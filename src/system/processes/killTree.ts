// Ends a process and everything it started, inside and outside its group, and at the end of a run what its nodes left behind.
import { systemClock } from '../clock.js';
import { belongsToRun, canSeeProcesses, carriesTag, listProcesses, type RunningProcess, runIdOfTag } from './processTable.js';

/** `pid` leads a process group of its own. It and its descendants carry `tag`. */
export type ProcessTree = { pid: number; tag: string };

/** A killed process that waits for a disk takes some time to end. */
const killMs = 1_000;
const sweepPatienceMs = 1_000;
const longestPauseMs = 100;

/** Sends SIGTERM, then SIGKILL. Returns the names of processes that could not be killed. */
export async function killTree({ pid, tag }: ProcessTree, patienceMs: number): Promise<string[]> {
  const find = (): RunningProcess[] => withDescendants((one) => one.group === pid || carriesTag(one, tag), [pid]);
  return (await endProcesses({ find, groups: [pid] }, patienceMs)).map(describeProcess);
}

/** Ends the processes that the nodes of a run left running, and returns their names. Call it when the run is over. */
export async function sweepRun(runId: string): Promise<string[]> {
  const groups = [...trees].filter(([, tag]) => runIdOfTag(tag) === runId).map(([pid]) => pid);
  const started = openRuns.delete(runId);
  for (const pid of groups) trees.delete(pid);
  removeExitHook();
  if (!started) return [];
  const find = (): RunningProcess[] => withDescendants((one) => groups.includes(one.group) || belongsToRun(one, runId), groups);
  const found = new Map<number, string>();
  const findAndRecord = (): RunningProcess[] => {
    const living = find();
    for (const one of living) found.set(one.pid, describeProcess(one));
    return living;
  };
  await endProcesses({ find: findAndRecord, groups }, sweepPatienceMs);
  return [...found.values()];
}

/** Groups that may have members, and runs that may have left processes. All of them end with this process. */
const trees = new Map<number, string>();
const openRuns = new Set<string>();

export function registerTree({ pid, tag }: ProcessTree): void {
  trees.set(pid, tag);
  openRuns.add(runIdOfTag(tag));
  process.off('exit', killAllNow);
  process.once('exit', killAllNow);
}

/** Leaves no listener behind for the code that runs in this process after us. */
function removeExitHook(): void {
  if (trees.size === 0 && openRuns.size === 0) process.off('exit', killAllNow);
}

/** Call it when the first process has ended. A group with other members stays registered until the run is swept. */
export function unregisterTree(pid: number): void {
  if (!isGroupAlive(pid)) trees.delete(pid);
}

// A listener of "exit" cannot wait, so everything is killed at once.
function killAllNow(): void {
  for (const pid of trees.keys()) signalProcess(-pid, 'SIGKILL');
  if (openRuns.size === 0) return;
  for (const one of listProcesses())
    if ([...openRuns].some((runId) => belongsToRun(one, runId))) signalProcess(one.pid, 'SIGKILL');
}

type KillTarget = { find(): RunningProcess[]; groups: readonly number[] };

async function endProcesses({ find, groups }: KillTarget, patienceMs: number): Promise<RunningProcess[]> {
  signalAll(find(), groups, 'SIGTERM');
  let left = await waitForEnd(find, patienceMs);
  // Repeatedly: a process may fork between the listing and the signal.
  for (const until = systemClock.now() + killMs; left.length > 0 && systemClock.now() < until; ) {
    signalAll(left, groups, 'SIGKILL');
    left = await waitForEnd(find, longestPauseMs);
  }
  return left;
}

async function waitForEnd(find: () => RunningProcess[], patienceMs: number): Promise<RunningProcess[]> {
  const until = systemClock.now() + patienceMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await new Promise<void>((resume) => systemClock.after(Math.min(pauseMs, Math.max(1, until - systemClock.now())), resume));
    const left = find();
    if (left.length === 0 || systemClock.now() >= until) return left;
  }
}

// Each process gets one signal: some programs take a second SIGTERM for "end at once".
function signalAll(living: readonly RunningProcess[], groups: readonly number[], signal: NodeJS.Signals): void {
  for (const group of groups) signalProcess(-group, signal);
  for (const { pid, group } of living) if (!groups.includes(group)) signalProcess(pid, signal);
}

// The group misses a child that called setsid(), the tag misses one that cleared its environment. Both still have their parent.
function withDescendants(isRoot: (one: RunningProcess) => boolean, groups: readonly number[]): RunningProcess[] {
  if (!canSeeProcesses()) return groups.filter(isGroupAlive).map(groupAsProcess);
  const all = listProcesses();
  const ours = new Set(all.filter(isRoot));
  const pids = new Set([...ours].map(({ pid }) => pid));
  for (let before = -1; before < ours.size; ) {
    before = ours.size;
    for (const one of all) if (pids.has(one.parent)) pids.add(ours.add(one) && one.pid);
  }
  return [...ours];
}

function groupAsProcess(pid: number): RunningProcess {
  return { pid, parent: 0, group: pid, name: 'process group', tags: [] };
}

function describeProcess({ name, pid }: RunningProcess): string {
  return `${name} (pid ${pid})`;
}

// Without a stack, which would be most of the cost of an expected error.
function isGroupAlive(pid: number): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const lives = signalProcess(-pid, 0);
  Error.stackTraceLimit = stackTraceLimit;
  return lives;
}

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    // Windows has no groups.
    return process.kill(process.platform === 'win32' ? Math.abs(pid) : pid, signal);
  } catch {
    // ESRCH: it has ended. EPERM: it now belongs to another user, and is named as a survivor.
    return false;
  }
}
