// The real clock, except that short pauses take no time, so that a step that polls until its timeout ends at once.
import { type Clock, systemClock } from '../../src/system/clock.js';

/** The longest pause between two polls of a page. */
const longestPauseMs = 250;

/** Skips short pauses while `maySkip()` is true, and advances the clock by each skipped pause. */
export function skipShortPausesClock(maySkip: () => boolean = () => true): Clock {
  let skippedMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + skippedMs,
    after(ms, then) {
      if (ms > longestPauseMs || !maySkip()) return systemClock.after(ms, then);
      const immediate = setImmediate(() => {
        skippedMs += ms;
        then();
      });
      return () => clearImmediate(immediate);
    },
  };
}
