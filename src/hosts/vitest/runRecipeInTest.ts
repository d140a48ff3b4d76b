// runRecipe() for hand-written Vitest tests. The test fails if it ends before the recipe, or ignores a verdict other than pass.
import { basename } from 'node:path';
import type { RunOptions, RunResult } from '../plain/runRecipe.js';
import { runRecipe as runPlain } from '../plain/runRecipe.js';
import { currentOwner, type RunOwner } from './internals/currentTest.js';
import { printErrors } from './printErrors.js';

/** Runs a recipe, which is a path or an object, and writes its package to `artifactsDir`. In a Vitest test, await the call and check its verdict. */
export function runRecipeInTest(recipe: string | object, options: RunOptions): Promise<RunResult> {
  const owner = currentOwner();
  return owner ? new CheckedRun(recipe, owner).start(recipe, options) : runPlain(recipe, options);
}

/** A global symbol, because `expectPass` and `runRecipe` may come from two copies of this module. */
const runKey = Symbol.for('recipewright.vitest.checkedRun');

/** Records the error that `expectPass` throws next. */
export function recordThrownError(result: RunResult, error: Error): void {
  const { [runKey]: run } = result as { [runKey]?: CheckedRun };
  if (run) run.thrownError = error;
}

/** A run whose verdict the test must check. */
class CheckedRun {
  thrownError: Error | undefined;
  private readonly name: string;
  private readonly abortController = new AbortController();
  private running: Promise<RunResult> | undefined;
  private result: RunResult | undefined;
  private hasEnded = false;
  private wasRead = false;
  /** Created when the test calls `runRecipe`, so that its stack points at the call. */
  private readonly error = new Error();

  constructor(
    recipe: string | object,
    private readonly owner: RunOwner,
  ) {
    this.name = typeof recipe === 'string' ? basename(recipe) : 'the recipe';
    Error.captureStackTrace(this.error, runRecipeInTest);
    owner.onFinished(() => this.checkVerdict());
  }

  async start(recipe: string | object, options: RunOptions): Promise<RunResult> {
    const { signal } = options;
    const stopSignal = this.abortController.signal;
    this.running = runPlain(recipe, { ...options, signal: signal ? AbortSignal.any([signal, stopSignal]) : stopSignal });
    try {
      this.result = await this.running;
      return this.trackReads(this.result);
    } finally {
      this.hasEnded = true;
    }
  }

  /** Returns a copy of the result of a run that did not pass. Its getters record that the test reads the outcome. */
  private trackReads(result: RunResult): RunResult {
    if (isPass(result)) return result;
    const read = (value: unknown): unknown => {
      this.wasRead = true;
      return value;
    };
    const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(result));
    // `ran: true` is not an outcome, but `ran: false` is.
    for (const key of result.ran ? ['verdict', 'summary', 'exitCode'] : ['ran', 'findings', 'exitCode']) {
      const value: unknown = Reflect.get(result, key);
      Object.defineProperty(copy, key, { enumerable: true, get: () => read(value) });
    }
    return Object.defineProperty(copy, runKey, { value: this }) as RunResult;
  }

  private async checkVerdict(): Promise<void> {
    if (!this.hasEnded) {
      this.abortController.abort();
      await this.running?.catch(() => undefined);
      if (!this.owner.hasFailed())
        throw this.createErrorAtCall(`The test ended before the recipe did. Write await runRecipe("${this.name}", …).`);
    }
    if (this.owner.hasFailed() || !this.result || isPass(this.result)) return;
    if (this.thrownError)
      throw this.createErrorAtCall(
        `The test caught the error of expectPass. To expect a verdict, ${howToExpectVerdict}.\n\n${this.thrownError.message}`,
      );
    if (!this.wasRead)
      throw this.createErrorAtCall(
        `runRecipe("${this.name}") ${describeUnreadResult(this.result)}\n\nUse expectPass(result), or ${howToExpectVerdict}.`,
      );
  }

  private createErrorAtCall(message: string): Error {
    const { stack = '' } = this.error;
    this.error.message = message;
    this.error.stack = `Error: ${message}\n${stack
      .split('\n')
      .filter((line) => /^ {4}at /.test(line))
      .join('\n')}`;
    return this.error;
  }
}

const howToExpectVerdict = 'write expect(result.verdict).toBe(…) with the verdict you expect';

function isPass(result: RunResult): boolean {
  return result.ran && result.verdict === 'pass';
}

function describeUnreadResult(result: RunResult): string {
  if (result.ran) {
    const { status, reason } = result.summary;
    return `ended with the verdict ${status}, and the test did not check it: ${reason}`;
  }
  return `could not run, and the test did not check it:\n\n${printErrors(result)}`;
}
