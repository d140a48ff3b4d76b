// Finds the Vitest test, or at least the test file, that runs a recipe now. Private API: `__vitest_worker__.current` and `onFinished`
// of a test, as Vitest 4.1 and 5.1 have them (packages/vitest/src/runtime/runners/test.ts, packages/runner/src/run.ts).
// `onTestFinished` is the public way, but this package may be loaded without Vitest, or beside another copy of it.

export type RunOwner = {
  /** Calls back when the owner and its hooks are over, however long that takes; an error thrown there fails the owner. */
  onFinished(then: () => Promise<void>): void;
  /** Whether Vitest counts the owner as failed so far. */
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

// Tests may replace the timers later.
const { setImmediate } = globalThis;

let hooksOf: ((suite: Task) => Hooks | undefined) | undefined;

// Loaded early: a recipe must have its owner before the test can end.
if ('__vitest_worker__' in globalThis)
  import('vitest').then(
    ({ TestRunner }) => {
      hooksOf = (suite) => (TestRunner.getSuiteHooks as unknown as (of: Task) => Hooks | undefined)(suite);
    },
    () => undefined, // ERR_MODULE_NOT_FOUND: Vitest lies where this package does not see it
  );

/** Undefined outside Vitest, and where it keeps its tests elsewhere. */
export function currentOwner(): RunOwner | undefined {
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: { current?: Task } };
  const task = worker?.current;
  if (task === undefined) return undefined;
  // Of tests that run at once, Vitest knows only which began last: any of them may be the caller. So may a hook or the file itself.
  return task.type === 'test' && task.concurrent !== true ? ownerOfTest(task) : ownerOfFile(task.file ?? task);
}

function ownerOfTest(task: Task): RunOwner {
  return {
    onFinished(then) {
      task.onFinished ??= [];
      task.onFinished.push(then);
    },
    hasFailed: () => task.result?.state === 'fail',
  };
}

function ownerOfFile(file: Task): RunOwner | undefined {
  const hooks = hooksOf;
  if (!hooks) return undefined;
  const onFinished = (then: () => Promise<void>): void => {
    const suiteHooks = hooks(file);
    if (suiteHooks) suiteHooks.afterAll.push(then);
    // While Vitest collects the tests of a file, the file has no hooks yet.
    else setImmediate(onFinished, then);
  };
  return { onFinished, hasFailed: () => hasFailedTask(file) };
}

function hasFailedTask({ result, tasks = [] }: Task): boolean {
  return result?.state === 'fail' || tasks.some(hasFailedTask);
}
