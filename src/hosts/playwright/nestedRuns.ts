// Runs recipes as steps of a native test. Each has its own journal and package, and ends even when the test is stopped.
import { type TestInfo, type TestStepInfo, test } from '@playwright/test';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { isSecret } from '../../check/rules/inputs.js';
import type { Place } from '../../document/finding.js';
import type { Verdict } from '../../evidence/verdict.js';
import { collectNeededFixtures } from '../../run/recipeNeeds.js';
import { readFirstLine } from '../shared/readFirstLine.js';
import type { RecipeValues } from './hostProject.js';
import { refuseExpectedFailure } from './internals/refuseExpectedFailure.js';
import { isOwnFrame } from './internals/shortStack.js';
import { openSession, type SessionRequest } from './openSession.js';
import { sendEndLine } from './playwrightHost.js';
import type { OpenSession } from './projectContext.js';
import { createVerdictError } from './recipeErrors.js';
import { protocolNames, type RunIdentity, sendDocuments } from './reporterProtocol.js';
import { interruptSession } from './runRecipeTest.js';
import { createNestedMark, openWorkerPackages } from './workerPackages.js';

export type NestedRunRequest = Pick<SessionRequest, 'context' | 'id' | 'fixtures' | 'inputs' | 'onJournalLine'> & {
  loaded: LoadedRecipe;
  title: string;
  answers?: RecipeValues['answers'];
};

type OpenNestedRun = { session: OpenSession; identity: RunIdentity; place: Place };

/** One call of recipe.run() or recipe.call(), from the moment of the call. */
class NestedRun {
  readonly key: string;
  opened?: OpenNestedRun;
  outcome: 'pending' | 'passed' | 'failed' = 'pending';
  error: unknown;
  /** Whether the test ended before the run. The fixture of the test then ends the session and sends the last line. */
  isEndedByTest = false;
  /** Resolves when the call has returned or thrown, and never rejects. */
  settled: Promise<void> = Promise.resolve();
  /** Where the test made the call. */
  private readonly origin = new Error();
  private ending: ReturnType<OpenSession['close']> | undefined;

  constructor(
    /** `await recipe.run("checkout.recipe.json")`, for messages. */
    readonly call: string,
    readonly name: string,
    readonly count: number,
  ) {
    this.key = `:${count}`;
  }

  get isEnding(): boolean {
    return this.ending !== undefined;
  }

  /** Creates an error with the stack of the call in the test. */
  createErrorAtCall(message: string): Error {
    const error = new Error(message);
    const frames = (this.origin.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line) && !isOwnFrame(line));
    error.stack = [`Error: ${message}`, ...frames].join('\n');
    return error;
  }

  /** Ends the session. The page stays open for the test. */
  end({ close, stopListening }: OpenSession): ReturnType<OpenSession['close']> {
    this.ending ??= close().finally(stopListening);
    return this.ending;
  }
}

type RecipeCall = { method: 'run' | 'call'; name: string };

export class NestedRuns {
  private readonly runs: NestedRun[] = [];
  private isOver = false;

  constructor(
    private readonly testInfo: TestInfo,
    private readonly values: RecipeValues,
  ) {}

  /** Registers a call before it does anything, so that the end of the test finds it even if the test drops the promise. */
  start({ method, name }: RecipeCall, prepare: () => Promise<NestedRunRequest>): Promise<Verdict> {
    const run = new NestedRun(`await recipe.${method}(${JSON.stringify(name)})`, name, this.runs.length + 1);
    this.runs.push(run);
    const verdict = this.runNested(run, prepare);
    // If the test does not handle the error, the end of the test reports it with the name of the recipe.
    run.settled = verdict.then(
      () => {
        run.outcome = 'passed';
      },
      (error) => {
        run.outcome = 'failed';
        run.error = error;
      },
    );
    return verdict;
  }

  private async runNested(run: NestedRun, prepare: () => Promise<NestedRunRequest>): Promise<Verdict> {
    if (this.isOver) return this.failWorker(this.createErrorAfterEnd(run));
    const packages = await openWorkerPackages(this.testInfo);
    const nested = await prepare();
    // The test ended meanwhile, and reported that the recipe was still running.
    if (this.isOver) throw this.createErrorAfterEnd(run);
    refuseMissingFixtures(nested);
    refuseSecrets(nested);
    const { loaded, title } = nested;
    const { key } = run;
    const identity: RunIdentity = { id: this.createPackageId(nested.id, run.count), key };
    const values = { ...this.values, answers: { ...this.values.answers, ...nested.answers } };
    packages?.register(identity);
    const session = openSession({ ...nested, id: identity.id, values, key }, this.testInfo);
    sendDocuments({ loaded, ownActions: nested.context.capabilities.ownActions, key }, this.testInfo);
    packages?.start(key);
    const place = loaded.compiled.origin('/title');
    run.opened = { session, identity, place };
    const params = { [protocolNames.begin]: session.session.opening, [protocolNames.run]: JSON.stringify(identity) };
    return test.step(
      title,
      async (step) => {
        const { failure } = await session.session.runGraph();
        if (run.isEndedByTest) throw new Error(`${run.name} was stopped because the test ended.`);
        const { line, verdict } = await run.end(session);
        await sendEndLine(step, line, `${protocolNames.end}${key}`);
        if (verdict.status !== 'pass') throw createVerdictError(verdict, { id: nested.id, place }, failure);
        return verdict;
      },
      { location: place, subtitle: identity.id, params },
    );
  }

  /**
   * Ends the runs that have not ended yet.
   * @throws when a run did not pass and the test is not failed yet
   */
  async close(): Promise<void> {
    this.isOver = true;
    const pending = this.runs.filter(({ outcome }) => outcome === 'pending');
    for (const run of pending) await this.stop(run);
    const failed = this.runs.filter((run) => !pending.includes(run) && run.outcome === 'failed');
    const [first] = [...pending, ...failed];
    if (!first) return;
    const { status } = this.testInfo;
    const wasExpected = refuseExpectedFailure(this.testInfo);
    // A test that failed or timed out needs no further error.
    if (!wasExpected && status !== 'passed' && status !== 'skipped') return;
    const lines = [
      ...pending.map(
        ({ name, call }) => `${name} was still running when the test ended, so it has no verdict. Await the call: ${call}.`,
      ),
      ...failed.map(
        ({ name, error }) =>
          `${name} did not pass, ${wasExpected ? 'and test.fail() does not turn that into a pass' : 'but the test continued'}: ${readFirstLine(error)}${wasExpected ? '' : ' Let the error of the awaited call fail the test.'}`,
      ),
    ];
    throw first.createErrorAtCall(lines.join('\n'));
  }

  /** Ends a run in a new step, because the run's own step may have ended. */
  private async stop(run: NestedRun): Promise<void> {
    // A run without a session has not begun, and will not begin after the end of the test.
    if (!run.opened) return;
    const { session, identity, place } = run.opened;
    interruptSession(session.session);
    // A run that is ending sends its last line itself.
    if (run.isEnding) return run.settled;
    run.isEndedByTest = true;
    const end = async (step: TestStepInfo): Promise<void> =>
      sendEndLine(step, (await run.end(session)).line, `${protocolNames.end}${run.key}`);
    const params = { [protocolNames.run]: JSON.stringify(identity) };
    await test.step(`End ${identity.id}`, end, { location: place, params });
  }

  private createErrorAfterEnd(run: NestedRun): Error {
    return run.createErrorAtCall(
      `${run.name} was not run, because the test that \`recipe\` belongs to has ended. Await the call in that test: ${run.call}.`,
    );
  }

  /** Throws the error and also fails the worker with it: the caller may ignore the error, and its test has already ended. */
  private async failWorker(error: Error): Promise<never> {
    // Playwright fails the current test, or the worker, for an unhandled rejection.
    void Promise.reject(error);
    // The rejection is reported in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    throw error;
  }

  // Many tests may run the same recipe, and one test may run it more than once.
  private createPackageId(id: string, count: number): string {
    const { title, testId } = this.testInfo;
    const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return `${id}--${words.join('-').slice(0, 40)}${createNestedMark(testId)}${count > 1 ? `-${count}` : ''}`;
  }
}

function refuseMissingFixtures({ loaded, context, fixtures, id }: NestedRunRequest): void {
  const missing = collectNeededFixtures(loaded, context.capabilities).filter((name) => fixtures[name] === undefined);
  if (missing.length === 0) return;
  const fixtureList = `{ ${missing.join(', ')} }`;
  throw new Error(
    `${id} needs fixtures that the call does not pass: ${fixtureList}. Request them in the test, and pass them as "fixtures" of the call.`,
  );
}

// The author of a native test configures its traces and reports, so nothing keeps secrets out of them.
function refuseSecrets({ loaded, id }: NestedRunRequest): void {
  if (![...loaded.compiled.recipe.inputs.values()].some(isSecret)) return;
  throw new Error(
    `${id} has secrets, which could end up in the traces and reports of this test. Run the recipe as a test of its own.`,
  );
}
