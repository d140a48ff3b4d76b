// Called by the module of a document, in a worker: the body of a test. What runs it is loaded when it runs, so that lists are fast.
import type { TestContext } from 'vitest';
import type { Setup } from '../../actions/setup.js';
import type { RunOptions } from '../plain/prepareRun.js';
import { answerWhetherAtRest, settle } from './atRest.js';
import type { Identity } from './wire.js';

/** What the plugin hands on to every test; text in its module. */
export type TestOptions = Pick<RunOptions, 'projectRoot' | 'browser' | 'inputs' | 'answers'> & { vitest: string };

export type Around = { options: TestOptions; setup: (() => Promise<{ default?: Setup }>) | undefined };

const noLimit = 0;

export function performing(identity: Identity, around: Around): (context: TestContext) => Promise<void> {
  answerWhetherAtRest();
  return async (context) => {
    if (identity.skip !== undefined) context.skip(identity.skip);
    const running = import('./runInTest.js').then(({ runInTest }) => runInTest(identity, settling(around), context));
    // Vitest leaves a test that is cancelled at once; the recipe is still to be ended, torn down and told of.
    context.onTestFinished(() => (context.signal.aborted ? running : undefined), noLimit);
    await running;
  };
}

function settling({ options, setup }: Around): Around {
  const loading = async (): Promise<{ default?: Setup }> => {
    const loaded = (await setup?.()) ?? {};
    settle();
    return loaded;
  };
  return { options, setup: loading };
}
