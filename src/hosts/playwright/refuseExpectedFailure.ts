// test.fail() turns a failure into a success. A recipe's verdict is no matter of expectation.
import type { TestInfo } from '@playwright/test';

/** Makes a test that is expected to fail an ordinary one. Says whether it was. */
export function refuseExpectedFailure(testInfo: TestInfo): boolean {
  if (testInfo.expectedStatus !== 'failed') return false;
  testInfo.expectedStatus = 'passed';
  return true;
}
