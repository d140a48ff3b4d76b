// Why a recipe that was planned left no package.
import type { TestCase } from '@playwright/test/reporter';
import type { SuiteEntry } from '../../evidence/suiteIndex.js';
import { identityOf } from './readResult.js';

/** Nothing to say is left of a run that was over before this test began. */
export function notRun(test: TestCase): Pick<SuiteEntry, 'skipped' | 'detail'> {
  if (identityOf(test)?.invalid) return { detail: 'The recipe is not valid: nothing ran.' };
  const skip = test.expectedStatus === 'skipped' && test.annotations.find(({ type }) => type === 'skip' || type === 'fixme');
  return skip ? { skipped: true, detail: `The test was skipped${skip.description ? `: ${skip.description}` : ''}.` } : {};
}
