// The only door to time: a monotonic count for durations, the wall for labels.
export type Clock = {
  now(): number;
  wall(): string;
  /** Calls back after `ms`; the returned function withdraws it. */
  after(ms: number, then: () => void): () => void;
};

// Tests of a project may replace them by fake ones while a recipe runs.
const { performance, Date: RealDate, setTimeout, clearTimeout } = globalThis;
export const { setImmediate } = globalThis;

// Spelling a time costs more than asking for it, and many lines fall into one millisecond.
let [lastMs, lastText] = [0, ''];

export const systemClock: Clock = {
  now: () => performance.now(),
  wall() {
    const now = RealDate.now();
    if (now !== lastMs) [lastMs, lastText] = [now, new RealDate(now).toISOString()];
    return lastText;
  },
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
