// The end of a run: our reporter writes what is left to write before any other reporter says how the run ended.
import type { SerializedError, TestModule, TestRunEndReason } from 'vitest/node';

export type RunEnd = {
  modules: readonly TestModule[];
  unhandled: readonly SerializedError[];
  reason: TestRunEndReason;
};

/** `tests`: by the id of the test. `run`: what concerns no single test. */
export type EvidenceProblems = { tests: ReadonlyMap<string, string>; run: readonly string[] };

type Finish = (end: RunEnd) => EvidenceProblems;

const finish = Symbol.for('recipewright.vitest.finish');
const shared = globalThis as { [finish]?: Finish | undefined };

/** The reporter and the plugin are loaded by different parties of one process. */
export function onRunEnd(then: Finish): void {
  shared[finish] = then;
}

export function finishRun(end: RunEnd): EvidenceProblems {
  return shared[finish]?.(end) ?? { tests: new Map(), run: [] };
}
