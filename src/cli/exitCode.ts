// The exit code is ours: code of the project runs in this process and may set another one, also while it ends.

import { exitCodes } from '../evidence/exitCodes.js';
import { toRecipeError } from '../evidence/recipeError.js';
import { decideExitCode } from '../system/processes/decideExitCode.js';
import { emitUncaughtError } from '../system/processes/processEvents.js';

let withdrawDecision = (): void => undefined;
let [commandExitCode, overridingExitCode]: [number, number | undefined] = [0, undefined];

/** That of the command, which is over. */
export function setCommandExitCode(code: number): void {
  commandExitCode = code;
}

/** Something that came after the answer changes it. */
export function overrideExitCode(code: number): void {
  overridingExitCode = code;
}

export function finalExitCode(): number {
  return overridingExitCode ?? commandExitCode;
}

/** Whatever the listeners of "exit" do, `decide` has the last word. */
export function decideFinalExitCode(decide: (code: number) => number): void {
  withdrawDecision();
  withdrawDecision = decideExitCode(decide, reportExitListenerError);
}

export function exitWithFinalCode(): void {
  process.exit(finalExitCode());
}

/** By a listener of "exit". A run that is over takes it like any other error that nobody caught. */
function reportExitListenerError(thrown: unknown): void {
  if (emitUncaughtError(thrown)) return;
  process.stderr.write(`recipewright: a listener of "exit" threw: ${toRecipeError(thrown).message}\n`);
  overrideExitCode(exitCodes.harness);
}

// Modules of the project run in this process: they may neither make a command look done nor write into its answer.

/** What Node ends with when the last thing to wait for will never come. */
const neverSettled = 13;

/** Until somebody else has the last word, the process cannot end as if all were well. */
export function preventEarlyExit(): void {
  decideFinalExitCode((code) => {
    if (code !== exitCodes.pass && code !== neverSettled) return code;
    process.stderr.write(
      'recipewright: the process ended before the command did. A config, setup module or action calls process.exit() or waits for ever: take that out.\n',
    );
    return exitCodes.harness;
  });
}

/** stdout is one document: what others log goes to stderr. */
export function redirectConsoleToStderr(): void {
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
}
