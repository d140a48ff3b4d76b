// The only door to time: a monotonic count for durations, the wall for labels.
export type Clock = {
  now(): number;
  wall(): string;
  /** Calls back after `ms`; the returned function withdraws it. */
  after(ms: number, then: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => new Date().toISOString(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
