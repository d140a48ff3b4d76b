// Keeps test.fail() from turning the failure of a recipe into a pass.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/worker/testInfo.ts
// If expectedStatus cannot be redefined, the TypeError fails the test, so the test does not pass either.
import type { TestInfo } from '@playwright/test';

/** Makes the test expect a pass, even if later fixtures set another status. Returns whether the test was expected to fail. */
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
