// The exit code is ours: code of the project runs in this process and may set another one, also while it ends.
import { exitCodes, toRecipeError } from '../evidence/failure.js';
import { decideExitCode } from '../system/exitCode.js';
import { isHeardAsStray } from '../system/strayErrors.js';

let withdraw = (): void => undefined;
let [ofCommand, later]: [number, number | undefined] = [0, undefined];

/** That of the command, which is over. */
export function keepExitCode(code: number): void {
  ofCommand = code;
}

/** Something that came after the answer changes it. */
export function overrideExitCode(code: number): void {
  later = code;
}

export function exitCode(): number {
  return later ?? ofCommand;
}

/** Whatever the listeners of "exit" do, `decide` has the last word. */
export function keepLastWord(decide: (code: number) => number): void {
  withdraw();
  withdraw = decideExitCode(decide, noteThrown);
}

export function exitWithOwnCode(): void {
  process.exit(exitCode());
}

/** By a listener of "exit". A run that is over takes it like any other error that nobody caught. */
function noteThrown(thrown: unknown): void {
  if (isHeardAsStray(thrown)) return;
  process.stderr.write(`recipewright: a listener of "exit" threw: ${toRecipeError(thrown).message}\n`);
  overrideExitCode(exitCodes.harness);
}
