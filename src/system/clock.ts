// The only source of time: a monotonic clock for durations, and wall time for labels.
export type Clock = {
  now(): number;
  wall(): string;
  /** Calls `then` after `ms`; the returned function cancels the timer. */
  after(ms: number, then: () => void): () => void;
};

// The real functions, because a project's tests may install fake timers while a recipe runs.
const { performance, Date: RealDate, setTimeout, clearTimeout } = globalThis;
export const { setImmediate } = globalThis;

// Caches the last text, because formatting takes longer than reading the time, and many journal lines have the same millisecond.
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
