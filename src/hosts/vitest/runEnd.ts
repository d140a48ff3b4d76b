// Connects the reporters of recipes at the end of a run: packages must be written before other reporters report the result.
import type { SerializedError, TestModule, TestRunEndReason } from 'vitest/node';
import { describeOutsideProblems } from '../shared/suiteProblems.js';
import { firstLine, identityOf } from './testPackages.js';

export type RunEnd = {
  modules: readonly TestModule[];
  unhandled: readonly SerializedError[];
  reason: TestRunEndReason;
};

/** `tests`: problems by the id of the test. `run`: problems that belong to no single test. */
export type EvidenceProblems = { tests: ReadonlyMap<string, string>; run: readonly string[] };

type FinishRun = (end: RunEnd) => EvidenceProblems;

const finishKey = Symbol.for('recipewright.vitest.finish');
const shared = globalThis as { [finishKey]?: FinishRun | undefined };

/** Registers `finish` under a global symbol, because Vitest and Vite load the reporter and the plugin as separate copies. */
export function onRunEnd(finish: FinishRun): void {
  shared[finishKey] = finish;
}

export function finishRun(end: RunEnd): EvidenceProblems {
  return shared[finishKey]?.(end) ?? { tests: new Map(), run: [] };
}

/** Lists the reasons why a Vitest run failed, apart from its recipes. */
export function listHostProblems({ modules, unhandled, reason }: RunEnd): string[] {
  const failed = modules.flatMap((module) => {
    const others = [...module.children.allTests('failed')].filter((test) => !identityOf(test));
    const names = others.map(({ fullName }) => `${module.relativeModuleId} > ${fullName}`);
    return module.errors().length > 0 ? [...names, module.relativeModuleId] : names;
  });
  // Errors that belong to no test have no message when they come from a blob.
  const errors = unhandled.map(({ message }) => firstLine(message) || 'An error without a message.');
  return describeOutsideProblems({ errors, failed, isInterrupted: reason === 'interrupted' });
}
