// Ends a run with everything that it started, other runs included.
import { endDetached, hasChildProcesses } from '../../system/processes/detachedProcess.js';
import type { ProcessTree } from '../../system/processes/killTree.js';
import { childrenOf, isTerminal, type RunState, readState, stateOf, tellEvent } from './runState.js';

/** The runner interrupts its commands, kills those that do not end, and writes its package; all of that takes a while. */
const patienceMs = 15_000;

export type Cancelled = { stopped: boolean; state: RunState | undefined; reason?: string; left?: readonly string[] };

export async function cancelRun(stateDir: string): Promise<Cancelled> {
  const state = stateOf(stateDir);
  const runner = readState<ProcessTree>(stateDir, 'runner');
  if (!runner || (isTerminal(state) && !hasLeft(state, runner))) return { stopped: false, state, reason: 'not running' };
  // How it ended stays what it was: a crash is not made good by cleaning up after it.
  if (!isTerminal(state)) tellEvent(stateDir, 'run.cancel');
  const left = await endDetached(runner, patienceMs);
  for (const child of childrenOf(stateDir)) await cancelRun(child);
  return { stopped: left.length === 0, state: stateOf(stateDir), ...(left.length > 0 ? { left } : {}) };
}

/** A runner that was killed could not end its commands, and nobody else does. */
export function hasLeft(state: RunState | undefined, runner: ProcessTree): boolean {
  return (state === 'crashed' || state === 'cancelled') && hasChildProcesses(runner);
}
