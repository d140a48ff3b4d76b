// Errors that nobody caught and that come when a run is over. The package and the exit code must not stay green then.

import { escapeControls } from '../document/printFinding.js';
import { exitCodes, toRecipeError } from '../evidence/failure.js';
import type { RunResult } from '../hosts/plain/runRecipe.js';
import { onStrayErrors } from '../system/strayErrors.js';
import { doubtPackage } from '../verify/doubtPackage.js';
import { overrideExitCode } from './exitCode.js';
import { tell } from './output.js';

const lateError = 'an error that no action caught came when the run was over. Await every promise that an action starts';

/** Listens until the process ends: while a run goes on it sees to such errors itself. */
export class LateErrors {
  private readonly thrown: unknown[] = [];
  private result: RunResult | undefined;

  constructor() {
    onStrayErrors((thrown) => {
      this.thrown.push(thrown);
      if (this.result) this.doubt(this.result);
    });
  }

  /** The run is over; what came of it, with what came too late for it. */
  settle(result: RunResult): RunResult {
    this.result = result;
    return this.thrown.length > 0 ? this.doubt(result) : result;
  }

  private doubt(result: RunResult): RunResult {
    const { message } = toRecipeError(this.thrown[0]);
    // What did not pass has its reason, and an exit code that says so.
    if (!result.ran || result.exitCode !== exitCodes.pass) return result;
    tell(escapeControls(`recipewright: ${lateError}: ${message}`));
    overrideExitCode(exitCodes.harness);
    this.result = { ...result, exitCode: exitCodes.harness };
    try {
      const summary = doubtPackage(result.dir, lateError);
      this.result = { ...this.result, summary, verdict: summary.status };
    } catch (thrown) {
      // ENOSPC, EROFS, ENOENT: the exit code says it all the same.
      tell(escapeControls(`recipewright: the package in ${result.dir} could not be changed: ${toRecipeError(thrown).message}`));
    }
    return this.result;
  }
}
