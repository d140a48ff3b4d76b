// Keeps the exit code of a command. The project's code runs in the same process and may set another exit code, even during the exit.

import { exitCodes } from '../evidence/failureTable.js';
import { toRecipeError } from '../evidence/recipeError.js';
import { decideExitCode } from '../system/processes/decideExitCode.js';
import { emitUncaughtError } from '../system/processes/processEvents.js';

let cancelDecision = (): void => undefined;
let commandExitCode = 0;
let overridingExitCode: number | undefined;

/** Sets the exit code of a command that has ended. */
export function setCommandExitCode(code: number): void {
  commandExitCode = code;
}

/** Replaces the exit code after the command has ended, for example because of a late exception or a full disk. */
export function overrideExitCode(code: number): void {
  overridingExitCode = code;
}

export function finalExitCode(): number {
  return overridingExitCode ?? commandExitCode;
}

/** `decide` runs after all listeners of the process event "exit", and its result is the exit code. */
export function decideFinalExitCode(decide: (code: number) => number): void {
  cancelDecision();
  cancelDecision = decideExitCode(decide, reportExitListenerError);
}

export function exitWithFinalCode(): void {
  process.exit(finalExitCode());
}

/** Reports an error of an "exit" listener. An ended run treats it as an uncaught error, so that its package does not stay a pass. */
function reportExitListenerError(thrown: unknown): void {
  if (emitUncaughtError(thrown)) return;
  process.stderr.write(`recipewright: an "exit" listener threw an error: ${toRecipeError(thrown).message}\n`);
  overrideExitCode(exitCodes.harness);
}

/** Node's exit code when the event loop is empty while a top-level promise is still pending. */
const unsettledAwaitExitCode = 13;

/** Prevents the exit code 0 until `decideFinalExitCode` is called again. */
export function preventEarlyExit(): void {
  decideFinalExitCode((code) => {
    if (code !== exitCodes.pass && code !== unsettledAwaitExitCode) return code;
    process.stderr.write(
      'recipewright: the process ended before the command did. A config, setup module or action calls process.exit() or awaits a promise that never settles. Remove that call.\n',
    );
    return exitCodes.harness;
  });
}

/** Sends logs of the project's code to stderr, because stdout must contain only one document with --json. */
export function redirectConsoleToStderr(): void {
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
}
