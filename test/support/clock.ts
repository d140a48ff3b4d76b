// A clock that stands still until it is told to go on.
import type { Clock } from '../../src/system/clock.js';

export type FakeClock = Clock & { advance(ms: number): void };

export function clockOf(): FakeClock {
  let now = 0;
  let waiting: { at: number; then: () => void }[] = [];
  return {
    now: () => now,
    wall: () => new Date(now).toISOString(),
    after(ms, then) {
      const entry = { at: now + ms, then };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((other) => other !== entry);
      };
    },
    advance(ms) {
      now += ms;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { then } of due) then();
    },
  };
}
