// The real clock, except that short pauses take no time: a step that looks again and again until its patience is over comes to its end at once.
import { type Clock, systemClock } from '../../src/system/clock.js';

/** The longest pause between two looks at a page. */
const longestPauseMs = 250;

/** Only while nothing is acted on: the clock goes on by every pause that it skips. */
export function hurriedClock(isHurried: () => boolean = () => true): Clock {
  let skippedMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + skippedMs,
    after(ms, then) {
      if (ms > longestPauseMs || !isHurried()) return systemClock.after(ms, then);
      const immediate = setImmediate(() => {
        skippedMs += ms;
        then();
      });
      return () => clearImmediate(immediate);
    },
  };
}
