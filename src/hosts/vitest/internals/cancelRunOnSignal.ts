// Turns SIGINT, SIGTERM and SIGHUP to Vitest into a cancelled run, so that running nodes end, teardown runs and reporters write.
// Removes Vitest's own listeners during a run, because they end the process a millisecond after the signal, as of Vitest 4.1.12:
// https://github.com/vitest-dev/vitest/blob/v4.1.12/packages/vitest/src/node/logger.ts (addCleanupListeners)
import type { Vitest } from 'vitest/node';
import { signalExitCodes } from '../../../evidence/failureTable.js';
import { systemClock } from '../../../system/clock.js';
import { repeatWindowMs } from '../../../system/processes/processEvents.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns a function that restores the previous listeners. */
export function cancelRunOnSignal(vitest: Vitest): () => void {
  let receivedSignal: NodeJS.Signals | undefined;
  let receivedAt = 0;
  const cancel = (signal: NodeJS.Signals): void => {
    const now = systemClock.now();
    if (receivedSignal !== undefined && now - receivedAt <= repeatWindowMs) return;
    if (receivedSignal !== undefined) process.exit();
    receivedSignal = signal;
    receivedAt = now;
    process.exitCode = signalExitCodes[signal] ?? 1;
    void vitest.cancelCurrentRun('keyboard-input');
  };
  const previousListeners = signals.map((signal) => [signal, process.listeners(signal)] as const);
  for (const [signal, listeners] of previousListeners) {
    for (const listener of listeners) process.off(signal, listener);
    process.on(signal, cancel);
  }
  return () => {
    for (const [signal, listeners] of previousListeners) {
      process.off(signal, cancel);
      for (const listener of listeners) process.once(signal, listener);
    }
    if (receivedSignal !== undefined) process.exitCode = signalExitCodes[receivedSignal] ?? 1;
  };
}
