// How long some work takes in the time of this process alone: what else runs on the machine does not count.

/** The best of three, as the first one also compiles the code. */
export function cpuMs(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
