// Finds the Vitest test, or at least the test file, that calls runRecipe. `onTestFinished` is the public API, but this package may run
// without Vitest, or with another copy of Vitest. Relies on `__vitest_worker__.current`, on `onFinished` of a test and on the hooks
// of a file, as of Vitest 4.1.12 and 5.1:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/runtime/runners/test.ts
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/runner/src/run.ts

export type RunOwner = {
  /** Calls `callback`, without a timeout, after the owner and its hooks have ended. An error that it throws fails the owner. */
  onFinished(callback: () => Promise<void>): void;
  /** Whether the owner has failed so far. */
  hasFailed(): boolean;
};

type Task = {
  type?: unknown;
  concurrent?: boolean;
  onFinished?: (() => Promise<void>)[];
  result?: { state?: unknown };
  file?: Task;
  tasks?: Task[];
};

type Hooks = { afterAll: (() => Promise<void>)[] };

// The real function, because tests may install fake timers later.
const { setImmediate } = globalThis;

let hooksOf: ((suite: Task) => Hooks | undefined) | undefined;

// Imported early, because a recipe needs its owner before the test can end.
if ('__vitest_worker__' in globalThis)
  import('vitest').then(
    ({ TestRunner }) => {
      hooksOf = (suite) => (TestRunner.getSuiteHooks as unknown as (of: Task) => Hooks | undefined)(suite);
    },
    () => undefined, // ERR_MODULE_NOT_FOUND: this package cannot resolve Vitest from its own folder
  );

/** Returns undefined outside Vitest, and with versions of Vitest that store the current test elsewhere. */
export function currentOwner(): RunOwner | undefined {
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: { current?: Task } };
  const task = worker?.current;
  if (task === undefined) return undefined;
  // With concurrent tests, Vitest only knows which one began last, and any of them may be the caller. So may a hook, or the file itself.
  return task.type === 'test' && task.concurrent !== true ? ownerOfTest(task) : ownerOfFile(task.file ?? task);
}

function ownerOfTest(task: Task): RunOwner {
  return {
    onFinished(callback) {
      task.onFinished ??= [];
      task.onFinished.push(callback);
    },
    hasFailed: () => task.result?.state === 'fail',
  };
}

function ownerOfFile(file: Task): RunOwner | undefined {
  const hooks = hooksOf;
  if (!hooks) return undefined;
  const onFinished = (callback: () => Promise<void>): void => {
    const suiteHooks = hooks(file);
    if (suiteHooks) suiteHooks.afterAll.push(callback);
    // While Vitest collects the tests of a file, the file has no hooks yet.
    else setImmediate(onFinished, callback);
  };
  return { onFinished, hasFailed: () => hasFailedTask(file) };
}

function hasFailedTask({ result, tasks = [] }: Task): boolean {
  return result?.state === 'fail' || tasks.some(hasFailedTask);
}
