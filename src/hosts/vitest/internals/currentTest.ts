// The Vitest test that runs now. Private API: `__vitest_worker__.current` and `onFinished` of a test, as Vitest 4.1 and 5.1 have them
// (packages/vitest/src/runtime/runners/test.ts, packages/runner/src/run.ts). `onTestFinished` is the public way, but this package
// may be loaded without Vitest, or beside another copy of it.

export type CurrentTest = {
  /** Calls back when test and hooks are over, however long that takes; what it throws fails the test. */
  onFinished(then: () => Promise<void>): void;
  /** Whether Vitest counts the test as failed so far. */
  hasFailed(): boolean;
};

type Task = { type?: unknown; onFinished?: (() => Promise<void>)[]; result?: { state?: unknown } };

/** Undefined outside of a test, and where Vitest keeps it elsewhere. */
export function currentTest(): CurrentTest | undefined {
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: { current?: Task } };
  const task = worker?.current;
  if (task?.type !== 'test') return undefined;
  return {
    onFinished(then) {
      task.onFinished ??= [];
      task.onFinished.push(then);
    },
    hasFailed: () => task.result?.state === 'fail',
  };
}
