// The real clock, except that one deadline is reached when an event happens, and not before.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/system/clock.js';
import { appearance } from './processProbe.js';

/** The length of the event-driven deadline. No other timer is as long, so the clock recognises it by its length. */
export const eventDrivenMs = 3_600_000;

/** A node with `timeout_ms: eventDrivenMs` times out when `event` settles. Then the clock also advances by this time. */
export function eventDrivenClock(event: () => Promise<unknown>): Clock {
  let skippedMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + skippedMs,
    after(ms, then) {
      if (ms < eventDrivenMs / 2) return systemClock.after(ms, then);
      let isCancelled = false;
      void event().then(() => {
        if (isCancelled) return;
        skippedMs += ms;
        then();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}

/** Returns a path and a clock whose event-driven deadline is reached when a file with this path exists. */
export function whenReady(): { clock: Clock; ready: string } {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const ready = join(dir, 'ready');
  return { ready, clock: eventDrivenClock(() => appearance(ready)) };
}
