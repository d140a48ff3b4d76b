// Creates the body of a recipe's test. The module of a document imports this file in a worker. The code that runs recipes is loaded only
// when a test runs, so that listing tests is fast.
import type { TestContext } from 'vitest';
import { onSignals } from '../../system/processes/processEvents.js';
import type { DeclaredIdentity } from '../shared/declaredTests.js';
import type { TestEnvironment } from './runInTest.js';

const noTimeoutMs = 0;

export function createTestBody(
  identity: DeclaredIdentity,
  environment: TestEnvironment,
): (context: TestContext) => Promise<void> {
  environment.useRealTimers();
  return async (context) => {
    // A `beforeEach` may have installed fake timers again.
    environment.useRealTimers();
    if (identity.skip !== undefined) context.skip(identity.skip);
    const running = runUntilSignal(context.signal, async (signal) => {
      const { runInTest } = await import('./runInTest.js');
      await runInTest(identity, environment, context, signal);
    });
    // Vitest does not wait for a cancelled test, but the recipe still has to run its teardown and write its journal.
    context.onTestFinished(() => (context.signal.aborted ? running : undefined), noTimeoutMs);
    await running;
  };
}

/** Aborts the recipe on a signal. A terminal sends Ctrl+C to the workers too, and without a listener they exit before the teardown runs. */
async function runUntilSignal(cancelled: AbortSignal, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  const stopListening = onSignals(() => interrupted.abort());
  await run(AbortSignal.any([cancelled, interrupted.signal])).finally(stopListening);
}
