import type { TestCase } from '@playwright/test/reporter';
import type { Summary } from '../../evidence/package.js';

/** A package that the reporter wrote. `isNested`: a native test ran it, and answers for itself. `earlier`: how often it was tried before. */
export type Written = {
  name: string;
  dir: string;
  summary: Summary;
  outcome: ReturnType<TestCase['outcome']>;
  isNested: boolean;
  earlier: number;
};
