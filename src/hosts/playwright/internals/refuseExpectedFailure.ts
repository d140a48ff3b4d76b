// test.fail() turns a failure into a success. A recipe's verdict is no matter of expectation.
import type { TestInfo } from '@playwright/test';

/** Makes a test that is expected to fail an ordinary one, and keeps fixtures that end later from changing that. Says whether it was. */
export function refuseExpectedFailure(testInfo: TestInfo): boolean {
  const wasExpected = testInfo.expectedStatus === 'failed';
  const expected = wasExpected ? 'passed' : testInfo.expectedStatus;
  Object.defineProperty(testInfo, 'expectedStatus', {
    get: () => expected,
    set: () => undefined,
    enumerable: true,
    configurable: true,
  });
  return wasExpected;
}
