// Called by the module of a document, in a worker: the body of a test. What runs it is loaded when it runs, so that lists are fast.
import type { TestContext } from 'vitest';
import type { Setup } from '../../registry/setup.js';
import { onSignals } from '../../system/processes/processEvents.js';
import type { RunOptions } from '../plain/prepareRun.js';
import type { Identity } from '../shared/declaredTests.js';
import { answerWhetherAtRest, settle } from './atRest.js';

/** What the plugin hands on to every test; text in its module. */
export type TestOptions = Pick<RunOptions, 'projectRoot' | 'browser' | 'inputs' | 'answers'> & { vitest: string };

export type Around = {
  options: TestOptions;
  setup: (() => Promise<{ default?: Setup }>) | undefined;
  /** Processes, deadlines and timestamps of a recipe are real: with fake timers it would wait forever. */
  useRealTimers(): void;
};

const noLimit = 0;

export function performing(identity: Identity, around: Around): (context: TestContext) => Promise<void> {
  around.useRealTimers();
  answerWhetherAtRest();
  return async (context) => {
    // A `beforeEach` may have turned the fake ones on again.
    around.useRealTimers();
    if (identity.skip !== undefined) context.skip(identity.skip);
    const running = untilSignal(context.signal, async (signal) => {
      const { runInTest } = await import('./runInTest.js');
      await runInTest(identity, settling(around), context, signal);
    });
    // Vitest leaves a test that is cancelled at once; the recipe is still to be ended, torn down and told of.
    context.onTestFinished(() => (context.signal.aborted ? running : undefined), noLimit);
    await running;
  };
}

/** A terminal sends Ctrl+C to the workers as well as to Vitest: without a listener they would die before the teardown runs. */
async function untilSignal(cancelled: AbortSignal, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  const stopListening = onSignals(() => interrupted.abort());
  await run(AbortSignal.any([cancelled, interrupted.signal])).finally(stopListening);
}

function settling({ setup, ...around }: Around): Around {
  const loading = async (): Promise<{ default?: Setup }> => {
    const loaded = (await setup?.()) ?? {};
    settle();
    return loaded;
  };
  return { ...around, setup: loading };
}
