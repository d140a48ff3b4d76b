// Keeps the exit code of a command. Code of the project runs in the same process and may set another one, even while it exits.

import { exitCodes } from '../evidence/exitCodes.js';
import { toRecipeError } from '../evidence/recipeError.js';
import { decideExitCode } from '../system/processes/decideExitCode.js';
import { emitUncaughtError } from '../system/processes/processEvents.js';

let withdrawDecision = (): void => undefined;
let commandExitCode = 0;
let overridingExitCode: number | undefined;

/** Call it when the command has ended. */
export function setCommandExitCode(code: number): void {
  commandExitCode = code;
}

/** For errors after the command has ended, such as a late exception or a full disk. */
export function overrideExitCode(code: number): void {
  overridingExitCode = code;
}

export function finalExitCode(): number {
  return overridingExitCode ?? commandExitCode;
}

/** `decide` runs after all listeners of the process event "exit", and its result is the exit code. */
export function decideFinalExitCode(decide: (code: number) => number): void {
  withdrawDecision();
  withdrawDecision = decideExitCode(decide, reportExitListenerError);
}

export function exitWithFinalCode(): void {
  process.exit(finalExitCode());
}

/** A run that has ended counts the error as an uncaught one, so that its package does not stay green. */
function reportExitListenerError(thrown: unknown): void {
  if (emitUncaughtError(thrown)) return;
  process.stderr.write(`recipewright: a listener of "exit" threw: ${toRecipeError(thrown).message}\n`);
  overrideExitCode(exitCodes.harness);
}

/** Node's exit code when the event loop is empty while a top-level promise is still pending. */
const unsettledAwaitExitCode = 13;

/** Until `decideFinalExitCode` is called again, the process cannot exit with 0. */
export function preventEarlyExit(): void {
  decideFinalExitCode((code) => {
    if (code !== exitCodes.pass && code !== unsettledAwaitExitCode) return code;
    process.stderr.write(
      'recipewright: the process ended before the command did. A config, setup module or action calls process.exit() or awaits something that never settles. Remove that call.\n',
    );
    return exitCodes.harness;
  });
}

/** With --json, stdout holds one document: logs of the project's code go to stderr. */
export function redirectConsoleToStderr(): void {
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
}
