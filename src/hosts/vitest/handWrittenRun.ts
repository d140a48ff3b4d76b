// A recipe that a hand-written Vitest test runs: the test cannot end before it, and cannot lose a verdict that is no pass.
import { basename } from 'node:path';
import type { RunOptions, RunResult } from '../plain/runRecipe.js';
import { runRecipe as runPlain } from '../plain/runRecipe.js';
import { printRunFinding } from '../shared/refusedRun.js';
import { currentOwner, type RunOwner } from './internals/currentTest.js';

/** Runs a file, or a recipe itself, and leaves its package in `artifactsDir`. In a Vitest test, await it and look at its verdict. */
export function runRecipe(recipe: string | object, options: RunOptions): Promise<RunResult> {
  const owner = currentOwner();
  return owner ? new HandWrittenRun(recipe, owner).start(recipe, options) : runPlain(recipe, options);
}

/** `expectPass` and `runRecipe` may come from two copies of this module. */
const runKey = Symbol.for('recipewright.handWrittenRun');

/** Called with what `expectPass` is going to throw. */
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
  /** Its frames are those of the call. */
  private readonly error = new Error();

  constructor(
    recipe: string | object,
    private readonly owner: RunOwner,
  ) {
    this.name = typeof recipe === 'string' ? basename(recipe) : 'the recipe';
    Error.captureStackTrace(this.error, runRecipe);
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

  /** A result that is no pass notes whether somebody reads what came of the run. */
  private trackReads(result: RunResult): RunResult {
    if (isPass(result)) return result;
    const read = (value: unknown): unknown => {
      this.wasRead = true;
      return value;
    };
    const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(result));
    // That it ran says nothing of what came of it; that it did not run says all.
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
    return `ended with the verdict ${status}, and the test did not look at it: ${reason}`;
  }
  const errors = result.findings.filter(({ severity }) => severity === 'error');
  const messages = errors.map((finding) => printRunFinding(finding, result.text)).join('\n\n');
  return `could not run, and the test did not look at it:\n\n${messages}`;
}
