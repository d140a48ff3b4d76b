// One test to be declared, as plain data: what Playwright must know of a document before anything of it runs.
import type { Finding, Place } from '../../document/finding.js';
import { summarizeErrors } from '../shared/suiteProblems.js';

export type TestEntry = {
  /** What its package is called. */
  id: string;
  /** Where it was written: the recipe, or the catalog of the flow. */
  file: string;
  title: string;
  place: Place;
  tags: string[];
  claims: { id: string; claim: string }[];
  /** What its nodes ask for, in a stable order. */
  fixtures: string[];
  /** An example of a flow, or with -1 the flow as a whole. */
  flow?: { id: string; index: number };
  /** It is not valid: running it says why. */
  isInvalid?: true;
  /** The same in one line, for the index. */
  problem?: string;
  /** Why there is nothing to run. */
  skip?: string;
  hasSecrets?: true;
  /** Other files that it is made of. */
  dependencies?: string[];
};

export const recipeTag = '@recipe';
export const flowTag = '@flow';

/** The test that stands for a document, or a part of it, that cannot run. */
export function createInvalidEntry(
  { id, file }: Pick<TestEntry, 'id' | 'file'>,
  findings: readonly Finding[],
): Omit<TestEntry, 'title'> {
  const error = findings.find(({ severity }) => severity === 'error');
  const place = error?.place ?? { file, line: 1, column: 1 };
  const problem = summarizeErrors(findings);
  return { id, file, place, tags: [recipeTag], claims: [], fixtures: [], isInvalid: true, ...(problem ? { problem } : {}) };
}
