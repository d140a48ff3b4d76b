// The end of a run: our reporter writes what is left to write before any other reporter says how the run ended.

import { stripVTControlCharacters } from 'node:util';
import type { SerializedError, TestModule, TestRunEndReason } from 'vitest/node';
import { describeOutsideProblems } from '../shared/suiteProblems.js';
import { identityOf } from './testPackages.js';

export type RunEnd = {
  modules: readonly TestModule[];
  unhandled: readonly SerializedError[];
  reason: TestRunEndReason;
};

/** `tests`: by the id of the test. `run`: what concerns no single test. */
export type EvidenceProblems = { tests: ReadonlyMap<string, string>; run: readonly string[] };

type FinishRun = (end: RunEnd) => EvidenceProblems;

const finishKey = Symbol.for('recipewright.vitest.finish');
const shared = globalThis as { [finishKey]?: FinishRun | undefined };

/** The reporter and the plugin are loaded by different parties of one process. */
export function onRunEnd(finish: FinishRun): void {
  shared[finishKey] = finish;
}

export function finishRun(end: RunEnd): EvidenceProblems {
  return shared[finishKey]?.(end) ?? { tests: new Map(), run: [] };
}

// What makes a Vitest run fail outside of its recipes.

export function listHostProblems({ modules, unhandled, reason }: RunEnd): string[] {
  const failed = modules.flatMap((module) => {
    const others = [...module.children.allTests('failed')].filter((test) => !identityOf(test));
    const names = others.map(({ fullName }) => `${module.relativeModuleId} > ${fullName}`);
    return module.errors().length > 0 ? [...names, module.relativeModuleId] : names;
  });
  const errors = unhandled.map(({ message }) => firstLine(message));
  return describeOutsideProblems({ errors, failed, isInterrupted: reason === 'interrupted' });
}

/** A blob keeps no messages of errors that belong to no test. */
function firstLine(message: string | undefined): string {
  const [first = ''] = stripVTControlCharacters(message ?? '').split('\n');
  return first || 'An error without a message.';
}
