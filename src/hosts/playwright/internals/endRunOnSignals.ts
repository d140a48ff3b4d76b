// SIGTERM and SIGHUP to Playwright end the run as SIGINT does, the only one it knows: tests are stopped, and the reporters write.
import { signalExitCodes } from '../../../evidence/exitCodes.js';

const signals = ['SIGTERM', 'SIGHUP'] as const;

/** What comes back undoes it. */
export function endRunOnSignals(): () => void {
  let exitCode: number | undefined;
  const setExitCode = (): void => {
    process.exitCode = exitCode;
  };
  const end = (signal: NodeJS.Signals): void => {
    if (exitCode === undefined) process.on('exit', setExitCode);
    exitCode ??= signalExitCodes[signal] ?? 1;
    // Nobody listens once Playwright is ending already: whoever asks again then has no more patience.
    if (!process.emit('SIGINT')) process.exit();
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}
