// Errors that end a command, and their exit codes.
import { escapeControls, oneLine } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failureTable.js';

/** An error in the command line itself, with exit code 2. */
export class UsageError extends Error {}

/** Prints an error to stderr and returns its exit code. */
export function printFailure(thrown: unknown): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (error instanceof UsageError || error.name === 'CACError') {
    process.stderr.write(`recipewright: ${oneLine(error.message)}\nRun "recipewright --help" for usage.\n`);
    return exitCodes.invalid;
  }
  if ('syscall' in error) {
    process.stderr.write(`recipewright: ${formatSystemErrorMessage(error)}\n`);
    return exitCodes.environment;
  }
  process.stderr.write(`recipewright crashed. This is a bug in recipewright:\n${escapeControls(error.stack ?? error.message)}\n`);
  return exitCodes.harness;
}

/** Formats the whole message for an error of the operating system, such as ENOSPC, that a command did not handle. */
export function formatSystemErrorMessage(error: Error): string {
  return `The operating system reported an error (${oneLine(error.message)}). Check the path, its permissions and the free disk space.`;
}
