// Changes the result and the artifacts of a test after it ran. Vitest's public TestCase is read-only, so this writes to its private
// field `task`, as of Vitest 4.1.12:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/reporters/reported-tasks.ts (ReportedTaskImplementation)
import type { SerializedError, TestCase } from 'vitest/node';

type Task = { mode: string; result?: { state: string; errors?: SerializedError[] }; artifacts: unknown[] };

function taskOf(test: TestCase): Task {
  return (test as unknown as { task: Task }).task;
}

/** Marks a test as failed. Otherwise, Vitest reports no failure: a test whose worker died is pending, and one with an uncaught error passed. */
export function failTest(test: TestCase, message: string): void {
  const task = taskOf(test);
  if (task.mode === 'skip' || task.mode === 'todo') return;
  task.result = { ...task.result, state: 'fail', errors: [{ name: 'Error', message, stack: `Error: ${message}` }] };
}

/** Adds an artifact, which the blob reporter writes with the test. */
export function addArtifact(test: TestCase, artifact: object): void {
  taskOf(test).artifacts.push(artifact);
}
