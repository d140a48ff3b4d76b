// Writes to stdout and stderr.
import { exitCodes } from '../evidence/failureTable.js';
import { overrideExitCode } from './exitCode.js';
import { formatSystemErrorMessage } from './usage.js';

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printJson(document: unknown): void {
  print(JSON.stringify(document, null, 2));
}

export function printToStderr(text: string): void {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Ends the process on a write error. A closed pipe is not a failure, because readers such as `head` stop early. */
export function handleStreamErrors(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      if (stream === process.stdout) printToStderr(`recipewright: ${formatSystemErrorMessage(error)}`);
      overrideExitCode(exitCodes.environment);
      process.exit(exitCodes.environment);
    });
  }
}
