// Ends a process with everything it started: its group, what left the group, and at the end of a run what its nodes left behind.
import { systemClock } from './clock.js';
import { belongsToRun, canSeeProcesses, carriesTag, type Living, livingProcesses, runOf } from './runTag.js';

/** `pid` leads a process group of its own; `tag` is what it and its descendants carry. */
export type Tree = { pid: number; tag: string };

/** How long something killed may take to be gone, such as a process that waits for a disk. */
const killMs = 1_000;
const sweepPatienceMs = 1_000;
const longestPauseMs = 100;

/** Asks the tree to end, then makes it; returns the names of what could not be killed. */
export async function killTree({ pid, tag }: Tree, patienceMs: number): Promise<string[]> {
  const find = (): Living[] => withDescendants((one) => one.group === pid || carriesTag(one, tag), [pid]);
  return (await end({ find, groups: [pid] }, patienceMs)).map(nameOf);
}

/** Ends what the nodes of a run left running, and returns its names; call it when the run is over. */
export async function sweepRun(runId: string): Promise<string[]> {
  const groups = [...trees].filter(([, tag]) => runOf(tag) === runId).map(([pid]) => pid);
  const started = runs.delete(runId);
  for (const pid of groups) trees.delete(pid);
  unhook();
  if (!started) return [];
  const find = (): Living[] => withDescendants((one) => groups.includes(one.group) || belongsToRun(one, runId), groups);
  const found = new Map<number, string>();
  const noting = (): Living[] => {
    const living = find();
    for (const one of living) found.set(one.pid, nameOf(one));
    return living;
  };
  await end({ find: noting, groups }, sweepPatienceMs);
  return [...found.values()];
}

/** Groups that may have members, and runs that may have left something: both die with this process. */
const trees = new Map<number, string>();
const runs = new Set<string>();

export function enrolTree({ pid, tag }: Tree): void {
  trees.set(pid, tag);
  runs.add(runOf(tag));
  process.off('exit', killAllNow);
  process.once('exit', killAllNow);
}

/** Whoever runs others after us in this process finds it as it was. */
function unhook(): void {
  if (trees.size === 0 && runs.size === 0) process.off('exit', killAllNow);
}

/** Its first process is gone; what it left in its group stays on the list until the run is swept. */
export function releaseTree(pid: number): void {
  if (!groupLives(pid)) trees.delete(pid);
}

// There is no time for patience any more, nor for a second look.
function killAllNow(): void {
  for (const pid of trees.keys()) signalProcess(-pid, 'SIGKILL');
  if (runs.size === 0) return;
  for (const one of livingProcesses()) if ([...runs].some((runId) => belongsToRun(one, runId))) signalProcess(one.pid, 'SIGKILL');
}

type Prey = { find(): Living[]; groups: readonly number[] };

async function end({ find, groups }: Prey, patienceMs: number): Promise<Living[]> {
  signalAll(find(), groups, 'SIGTERM');
  let left = await waitForEnd(find, patienceMs);
  // Again and again: what was about to fork while we looked has a child now.
  for (const until = systemClock.now() + killMs; left.length > 0 && systemClock.now() < until; ) {
    signalAll(left, groups, 'SIGKILL');
    left = await waitForEnd(find, longestPauseMs);
  }
  return left;
}

async function waitForEnd(find: () => Living[], patienceMs: number): Promise<Living[]> {
  const until = systemClock.now() + patienceMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await new Promise<void>((resume) => systemClock.after(Math.min(pauseMs, Math.max(1, until - systemClock.now())), resume));
    const left = find();
    if (left.length === 0 || systemClock.now() >= until) return left;
  }
}

// Each process hears it once: a second SIGTERM means "at once" to some programs.
function signalAll(living: readonly Living[], groups: readonly number[], signal: NodeJS.Signals): void {
  for (const group of groups) signalProcess(-group, signal);
  for (const { pid, group } of living) if (!groups.includes(group)) signalProcess(pid, signal);
}

// Group kill misses a child that called setsid(), the tag misses one that cleared its environment; each is still a child of its parent.
function withDescendants(isRoot: (one: Living) => boolean, groups: readonly number[]): Living[] {
  if (!canSeeProcesses()) return groups.filter(groupLives).map(asGroup);
  const all = livingProcesses();
  const ours = new Set(all.filter(isRoot));
  const pids = new Set([...ours].map(({ pid }) => pid));
  for (let before = -1; before < ours.size; ) {
    before = ours.size;
    for (const one of all) if (pids.has(one.parent)) pids.add(ours.add(one) && one.pid);
  }
  return [...ours];
}

function asGroup(pid: number): Living {
  return { pid, parent: 0, group: pid, name: 'process group', tags: [] };
}

function nameOf({ name, pid }: Living): string {
  return `${name} (pid ${pid})`;
}

// Where a missing group was asked for is told to nobody, and would be most of what asking costs.
function groupLives(pid: number): boolean {
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
    // ESRCH: it is gone already. EPERM: it became somebody else's, and is named as a survivor.
    return false;
  }
}
