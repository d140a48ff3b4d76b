// Ends a detached run, its commands and the runs that it started.
import { endDetached, hasChildProcesses } from '../../system/processes/detachedProcess.js';
import type { ProcessTree } from '../../system/processes/killTree.js';
import { appendEvent, childRunDirs, isTerminal, type RunState, readRunState, readState } from './runState.js';

/** Time for the runner to interrupt its commands, kill those that do not end, and write its package. */
const endTimeoutMs = 15_000;

export type CancelResult = { stopped: boolean; state: RunState | undefined; reason?: string; left?: readonly string[] };

export async function cancelRun(stateDir: string): Promise<CancelResult> {
  const state = readRunState(stateDir);
  const runner = readState<ProcessTree>(stateDir, 'runner');
  if (!runner || (isTerminal(state) && !hasOrphans(state, runner))) return { stopped: false, state, reason: 'not running' };
  // A crashed run stays crashed: ending its orphans does not cancel it.
  if (!isTerminal(state)) appendEvent(stateDir, 'run.cancel');
  const remaining = await endDetached(runner, endTimeoutMs);
  for (const child of childRunDirs(stateDir)) await cancelRun(child);
  return { stopped: remaining.length === 0, state: readRunState(stateDir), ...(remaining.length > 0 ? { left: remaining } : {}) };
}

/** Whether commands of the run still run. A killed runner leaves its commands running. */
function hasOrphans(state: RunState | undefined, runner: ProcessTree): boolean {
  return (state === 'crashed' || state === 'cancelled') && hasChildProcesses(runner);
}
