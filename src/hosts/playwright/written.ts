import type { TestCase } from '@playwright/test/reporter';
import type { Summary } from '../../evidence/package.js';
import type { SuiteEntry } from '../../evidence/suiteIndex.js';

/** A package that the reporter wrote. `isNested`: a native test ran it, and answers for itself. `earlier`: how often it was tried before. */
export type Written = {
  name: string;
  dir: string;
  summary: Summary;
  outcome: ReturnType<TestCase['outcome']>;
  isNested: boolean;
  earlier: number;
  /** The command that runs its test again, for one that did not pass. */
  again?: string;
};

export function entryOf({ name, summary, again }: Written): SuiteEntry {
  return { name, summary, ...(again === undefined ? {} : { again }) };
}
