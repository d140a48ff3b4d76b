// A fake clock whose time changes only with `advance`.
import type { Clock } from '../../src/system/clock.js';

export type FakeClock = Clock & { advance(ms: number): void };

export function clockOf(): FakeClock {
  let now = 0;
  let timers: { at: number; then: () => void }[] = [];
  return {
    now: () => now,
    wall: () => new Date(now).toISOString(),
    after(ms, then) {
      const timer = { at: now + ms, then };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { then } of due) then();
    },
  };
}
