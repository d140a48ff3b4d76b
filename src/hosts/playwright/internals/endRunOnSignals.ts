// Makes SIGTERM and SIGHUP end a Playwright run as SIGINT does: Playwright stops the tests, and the reporters write.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/runner/sigIntWatcher.ts
// If Playwright does not listen to SIGINT, the signal ends the process at once.
import { signalExitCodes } from '../../../evidence/failureTable.js';

const signals = ['SIGTERM', 'SIGHUP'] as const;

/** Returns a function that stops listening. */
export function endRunOnSignals(): () => void {
  let exitCode: number | undefined;
  const setExitCode = (): void => {
    process.exitCode = exitCode;
  };
  const end = (signal: NodeJS.Signals): void => {
    if (exitCode === undefined) process.on('exit', setExitCode);
    exitCode ??= signalExitCodes[signal] ?? 1;
    // Playwright removes its listener once it is ending: a second signal means that the sender does not want to wait.
    if (!process.emit('SIGINT')) process.exit();
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}
