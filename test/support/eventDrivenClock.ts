// The real clock, except for one deadline: it strikes when something has happened, and not before.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/system/clock.js';
import { appearance } from './processProbe.js';

/** Longer than any other time that is waited for, so that it is known by its length. */
export const strikingMs = 3_600_000;

/** Give a node `timeout_ms: strikingMs`: its time is over when `event` settles, and the clock has gone on by that much. */
export function strikingClock(event: () => Promise<unknown>): Clock {
  let skippedMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + skippedMs,
    after(ms, then) {
      if (ms < strikingMs / 2) return systemClock.after(ms, then);
      let isWithdrawn = false;
      void event().then(() => {
        if (isWithdrawn) return;
        skippedMs += ms;
        then();
      });
      return () => {
        isWithdrawn = true;
      };
    },
  };
}

/** A file whose appearance ends the time of a node. */
export function whenReady(): { clock: Clock; ready: string } {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const ready = join(dir, 'ready');
  return { ready, clock: strikingClock(() => appearance(ready)) };
}
