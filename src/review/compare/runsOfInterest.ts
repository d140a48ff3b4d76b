// Which of the runs that were compared somebody has to look at.
import type { RunChange } from './comparePackages.js';

/** What got worse comes first, what is the same last. */
export function byInterest(runs: readonly RunChange[]): RunChange[] {
  return [...runs].sort((a, b) => interest(b) - interest(a));
}

function interest(run: RunChange): number {
  return run.isWorse ? 2 : hasChanged(run) ? 1 : 0;
}

export function hasChanged({ before, after, claims, trace, pictures }: RunChange): boolean {
  const lists = trace ? [trace.onlyBefore, trace.onlyAfter, trace.results, trace.outputs, trace.times] : [];
  const isOther =
    before?.doubt?.isBroken ||
    after?.doubt?.isBroken ||
    before?.status !== after?.status ||
    claims.some(({ change }) => change !== 'same');
  return isOther || pictures.length > 0 || lists.some((list) => list.length > 0);
}
