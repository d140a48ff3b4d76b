// runRecipe in a hand-written Vitest test: the test fails when it ends before the recipe, or ignores a verdict other than pass.
import { basename } from 'node:path';
import type { RunOptions, RunResult } from '../plain/runRecipe.js';
import { runRecipe as runPlain } from '../plain/runRecipe.js';
import { currentOwner, type RunOwner } from './internals/currentTest.js';
import { printErrors } from './printErrors.js';

/** Runs a recipe, given as a file or an object, and leaves its package in `artifactsDir`. In a Vitest test, await it and check its verdict. */
export function runRecipeInTest(recipe: string | object, options: RunOptions): Promise<RunResult> {
  const owner = currentOwner();
  return owner ? new HandWrittenRun(recipe, owner).start(recipe, options) : runPlain(recipe, options);
}

/** A global symbol, because `expectPass` and `runRecipe` may come from two copies of this module. */
const runKey = Symbol.for('recipewright.handWrittenRun');

/** `error` is the one that `expectPass` is about to throw. */
export function recordThrownError(result: RunResult, error: Error): void {
  const { [runKey]: run } = result as { [runKey]?: HandWrittenRun };
  if (run) run.thrown = error;
}

class HandWrittenRun {
  thrown: Error | undefined;
  private readonly name: string;
  private readonly abortController = new AbortController();
  private running: Promise<RunResult> | undefined;
  private result: RunResult | undefined;
  private hasEnded = false;
  private wasRead = false;
  /** Created at the call of `runRecipe`, so that its frames point there. */
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

  /** Returns a copy whose getters note that the test reads the outcome of a run that did not pass. */
  private trackReads(result: RunResult): RunResult {
    if (isPass(result)) return result;
    const read = (value: unknown): unknown => {
      this.wasRead = true;
      return value;
    };
    const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(result));
    // `ran: true` does not tell the outcome, `ran: false` does.
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
        throw this.errorAtCall(`The test ended before the recipe did. Write await runRecipe("${this.name}", …).`);
    }
    if (this.owner.hasFailed() || !this.result || isPass(this.result)) return;
    if (this.thrown)
      throw this.errorAtCall(
        `The test caught the error of expectPass. To expect a verdict, ${howToExpectVerdict}.\n\n${this.thrown.message}`,
      );
    if (!this.wasRead)
      throw this.errorAtCall(
        `runRecipe("${this.name}") ${describeUnreadResult(this.result)}\n\nUse expectPass(result), or ${howToExpectVerdict}.`,
      );
  }

  private errorAtCall(message: string): Error {
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
