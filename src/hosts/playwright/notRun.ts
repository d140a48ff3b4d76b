// What is said of a recipe that was planned and left no package.
import type { TestCase } from '@playwright/test/reporter';
import type { DeclaredClaim, SuiteEntry } from '../../evidence/suite.js';
import { identityOf } from './readResult.js';
import { wire } from './wire.js';

/** Nothing to say is left of a run that was over before this test began. */
export function notRun(test: TestCase): Pick<SuiteEntry, 'skipped' | 'detail'> {
  const problem = identityOf(test)?.problem;
  if (problem !== undefined) return { detail: problem };
  const skip = test.expectedStatus === 'skipped' && test.annotations.find(({ type }) => type === 'skip' || type === 'fixme');
  return skip ? { skipped: true, detail: `The test was skipped${skip.description ? `: ${skip.description}` : ''}.` } : {};
}

/** What a test declares to prove, whether or not it ran. */
export function claimsDeclared(test: Pick<TestCase, 'annotations'>): DeclaredClaim[] {
  return test.annotations.flatMap(({ type, description = '' }) => {
    const [, id, claim] = (type === wire.claim && /^(.*?): (.*)$/s.exec(description)) || [];
    return id === undefined || claim === undefined ? [] : [{ id, claim }];
  });
}
