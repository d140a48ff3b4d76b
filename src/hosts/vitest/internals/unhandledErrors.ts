// Finds the test that an error belongs to, although Vitest reports the error for the whole run. Relies on two fields that a worker adds
// to uncaught errors, as of Vitest 4.1.12, and on the message about a dead worker, which contains its test files from Vitest 5 on:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/runtime/moduleRunner/errorCatcher.ts
// https://github.com/vitest-dev/vitest/blob/v5.0.0-rc.2/packages/vitest/src/node/pools/poolRunner.ts (emitUnexpectedExit)
import type { SerializedError, TestCase } from 'vitest/node';

type UnhandledError = { message: string; VITEST_TEST_PATH?: unknown; VITEST_TEST_NAME?: unknown };

/** Returns the uncaught errors that Vitest caught while this test ran. */
export function unhandledErrorsOf(test: TestCase, unhandled: readonly { message: string }[]): UnhandledError[] {
  const inModule = (unhandled as readonly UnhandledError[]).filter(({ VITEST_TEST_PATH: path }) => path === test.module.moduleId);
  return inModule.filter(
    ({ VITEST_TEST_NAME: name }) => typeof name !== 'string' || name === test.fullName || name === test.name,
  );
}

/** Describes why the worker of a test died. If several workers died, each message contains the test files in Vitest 5. */
export function describeWorkerDeath(test: TestCase, unhandled: readonly SerializedError[]): string {
  const causes = unhandled.map((error) => messageOf(error.cause) ?? error.message);
  const ofModule = causes.filter((message) => message.includes(test.module.moduleId));
  return (ofModule.length > 0 ? ofModule : causes).join('; ') || 'the run ended first.';
}

function messageOf(cause: unknown): string | undefined {
  const { message } = Object(cause) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}
