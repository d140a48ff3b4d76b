// A test to declare, as plain data: all that Playwright must know before the test runs.
import type { Finding, Place } from '../../document/finding.js';
import { summarizeErrors } from '../shared/suiteProblems.js';

export type TestEntry = {
  /** The id of its package. */
  id: string;
  /** The recipe, or the catalog of the flow. */
  file: string;
  title: string;
  place: Place;
  tags: string[];
  claims: { id: string; claim: string }[];
  /** The fixtures that the nodes of the recipe need, in a stable order. */
  fixtures: string[];
  /** An example of a flow; the index -1 stands for the whole flow. */
  flow?: { id: string; index: number };
  /** The document is not valid, and its test fails with the reasons. */
  isInvalid?: true;
  /** The reasons in one line, for the index. */
  problem?: string;
  /** Why the test is skipped. */
  skip?: string;
  hasSecrets?: true;
  /** The other files that the document depends on. */
  dependencies?: string[];
};

export const recipeTag = '@recipe';
export const flowTag = '@flow';

/** Creates the test of an invalid document, or of an invalid part of a document. */
export function createInvalidEntry(
  { id, file }: Pick<TestEntry, 'id' | 'file'>,
  findings: readonly Finding[],
): Omit<TestEntry, 'title'> {
  const error = findings.find(({ severity }) => severity === 'error');
  const place = error?.place ?? { file, line: 1, column: 1 };
  const problem = summarizeErrors(findings);
  return { id, file, place, tags: [recipeTag], claims: [], fixtures: [], isInvalid: true, ...(problem ? { problem } : {}) };
}
