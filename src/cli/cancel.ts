// recipewright cancel: ends a run of `recipewright start` and every process that the run started.
import { exitCodes } from '../evidence/failureTable.js';
import { cancelRun } from '../hosts/detached/cancelRun.js';
import { type FindRunOptions, findRun } from './findRun.js';
import { print, printJson } from './output.js';

export async function cancel(runs: readonly string[], options: FindRunOptions): Promise<number> {
  const { run, stateDir } = findRun(runs, 'cancel', options);
  const cancelled = await cancelRun(stateDir);
  const { stopped, state, reason, left = [] } = cancelled;
  if (options.json) printJson({ run, ...cancelled });
  else if (stopped) print(`${run}: ${state}`);
  else
    print(left.length > 0 ? `${run} could not be stopped. Still running: ${left.join(', ')}` : `${run} is ${state}: ${reason}`);
  return stopped ? exitCodes.pass : exitCodes.failed;
}
