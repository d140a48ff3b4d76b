// What ends the command line without a run, each with the exit code of the failure table.
import { escapeControls, oneLine } from '../document/printFinding.js';
import { exitCodes } from '../evidence/exitCodes.js';

export class UsageError extends Error {}

/** Says what went wrong on stderr and gives the exit code. */
export function printFailure(thrown: unknown): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (error instanceof UsageError || error.name === 'CACError') {
    process.stderr.write(`recipewright: ${oneLine(error.message)}\nTry "recipewright --help".\n`);
    return exitCodes.invalid;
  }
  if ('syscall' in error) {
    process.stderr.write(`recipewright: ${describeRefusal(error)}\n`);
    return exitCodes.environment;
  }
  process.stderr.write(`recipewright failed, which is a bug of its own:\n${escapeControls(error.stack ?? error.message)}\n`);
  return exitCodes.harness;
}

/** What the machine refused, in one sentence. */
export function describeRefusal(error: Error): string {
  return `The machine refused it (${oneLine(error.message)}): check the path, its rights and the space that is left.`;
}
