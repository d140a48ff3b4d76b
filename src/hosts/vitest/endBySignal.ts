// SIGINT, SIGTERM and SIGHUP to Vitest end the run as if it were cancelled: the nodes in flight end, and the reporters write.
import type { Vitest } from 'vitest/node';
import { signalExitCodes } from '../../evidence/exitCodes.js';
import { systemClock } from '../../system/clock.js';
import { repeatWindowMs } from '../../system/processes/processEvents.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What comes back undoes it. */
export function endBySignal(vitest: Vitest): () => void {
  let heard: NodeJS.Signals | undefined;
  let heardAt = 0;
  const end = (signal: NodeJS.Signals): void => {
    const now = systemClock.now();
    if (heard !== undefined && now - heardAt <= repeatWindowMs) return;
    if (heard !== undefined) process.exit();
    heard = signal;
    heardAt = now;
    process.exitCode = signalExitCodes[signal] ?? 1;
    void vitest.cancelCurrentRun('keyboard-input');
  };
  // Vitest's own listeners end the process a millisecond later.
  const others = signals.map((signal) => [signal, process.listeners(signal)] as const);
  for (const [signal, listeners] of others) {
    for (const listener of listeners) process.off(signal, listener);
    process.on(signal, end);
  }
  return () => {
    for (const [signal, listeners] of others) {
      process.off(signal, end);
      for (const listener of listeners) process.once(signal, listener);
    }
    if (heard !== undefined) process.exitCode = signalExitCodes[heard] ?? 1;
  };
}
