// The only source of time: a monotonic count for durations, wall time for labels.
export type Clock = {
  now(): number;
  wall(): string;
  /** Calls `then` after `ms`; the returned function cancels the timer. */
  after(ms: number, then: () => void): () => void;
};

// A project's tests may replace the global ones by fakes while a recipe runs.
const { performance, Date: RealDate, setTimeout, clearTimeout } = globalThis;
export const { setImmediate } = globalThis;

// Formatting a time costs more than reading it, and many lines of a journal fall into one millisecond.
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
