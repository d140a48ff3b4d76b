// Called by the module of a document, in a worker: the body of a test. What runs it is loaded when it runs, so that lists are fast.
import type { TestContext } from 'vitest';
import { onSignals } from '../../system/processes/processEvents.js';
import type { Identity } from '../shared/declaredTests.js';
import type { TestEnvironment } from './runInTest.js';

const noTimeoutMs = 0;

export function performing(identity: Identity, environment: TestEnvironment): (context: TestContext) => Promise<void> {
  environment.useRealTimers();
  return async (context) => {
    // A `beforeEach` may have turned the fake ones on again.
    environment.useRealTimers();
    if (identity.skip !== undefined) context.skip(identity.skip);
    const running = runUntilSignal(context.signal, async (signal) => {
      const { runInTest } = await import('./runInTest.js');
      await runInTest(identity, environment, context, signal);
    });
    // Vitest leaves a test that is cancelled at once; the recipe is still to be ended, torn down and told of.
    context.onTestFinished(() => (context.signal.aborted ? running : undefined), noTimeoutMs);
    await running;
  };
}

/** A terminal sends Ctrl+C to the workers as well as to Vitest: without a listener they would die before the teardown runs. */
async function runUntilSignal(cancelled: AbortSignal, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  const stopListening = onSignals(() => interrupted.abort());
  await run(AbortSignal.any([cancelled, interrupted.signal])).finally(stopListening);
}
