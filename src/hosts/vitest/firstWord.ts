// The reporter that hears of the end before all others: it tells them of tests that Vitest itself leaves without a result.
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';
import { endBySignal } from './endBySignal.js';
import { identityOf, strayIn } from './readTest.js';
import { sendPackages } from './sendPackages.js';

export class FirstWord implements Reporter {
  private vitest: Vitest | undefined;
  private stopListening = (): void => undefined;

  constructor(private readonly isBlob: boolean) {}

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunStart(): void {
    if (this.vitest) this.stopListening = endBySignal(this.vitest);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const module of modules)
      for (const test of module.children.allTests()) {
        if (!identityOf(test)) continue;
        const [stray] = strayIn(test, unhandled);
        if (test.result().state === 'pending') fail(test, `The test never ended: ${deathOf(test, unhandled)}`);
        else if (stray) fail(test, `Something was thrown that nobody caught: ${stray.message}`);
        if (this.isBlob) sendPackages(test, this.vitest?.config.attachmentsDir ?? '');
      }
    this.stopListening();
  }
}

type Task = { mode: string; result?: { state: string; errors?: SerializedError[] } };

// Vitest counts a test whose worker died among those that wait, and one with stray errors as passed: its reports are then green.
function fail(test: TestCase, message: string): void {
  const task = (test as unknown as { task: Task }).task;
  if (task.mode === 'skip' || task.mode === 'todo') return;
  task.result = { ...task.result, state: 'fail', errors: [{ name: 'Error', message, stack: `Error: ${message}` }] };
}

// One worker may have died of many, and what it died of stands in the cause of the error.
function deathOf(test: TestCase, unhandled: readonly SerializedError[]): string {
  const causes = unhandled.map((error) => messageOf(error.cause) ?? error.message);
  const own = causes.filter((message) => message.includes(test.module.moduleId));
  return (own.length > 0 ? own : causes).join('; ') || 'the run was over before.';
}

function messageOf(cause: unknown): string | undefined {
  const { message } = Object(cause) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}
