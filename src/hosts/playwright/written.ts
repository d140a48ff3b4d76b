import type { TestCase } from '@playwright/test/reporter';
import type { PackageSlot } from '../../evidence/packageDirs.js';
import type { DeclaredClaim, SuiteEntry } from '../../evidence/suite.js';
import type { Summary } from '../../evidence/writePackage.js';

/** A package that the reporter wrote. `isNested`: a native test ran it. `earlier`: how often it was tried before. */
export type Written = {
  name: string;
  slot: PackageSlot;
  dir: string;
  summary: Summary;
  outcome: ReturnType<TestCase['outcome']>;
  isNested: boolean;
  earlier: number;
  /** The command that runs its test again, for one that did not pass. */
  again?: string;
  /** What its test declares: a run that never began proves none of it. */
  claims?: readonly DeclaredClaim[];
};

export function entryOf({ name, summary, again, claims = [] }: Written): SuiteEntry {
  return { name, summary, claims, ...(again === undefined ? {} : { again }) };
}
