// Measures the CPU time of the main thread, without other threads and other processes.
import { readFileSync } from 'node:fs';

/** Returns the CPU time since the start of the process. Except on Linux, includes all threads of the process. */
export function mainThreadMs(): number {
  if (process.platform === 'linux') {
    const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(ns) / 1e6;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
