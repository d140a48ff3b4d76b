// How long this thread worked: neither what else runs on the machine counts, nor the other threads of the process.
import { readFileSync } from 'node:fs';

/** Counts from the start of the process. Where the system does not tell threads apart, the whole process counts. */
export function mainThreadMs(): number {
  if (process.platform === 'linux') {
    const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(ns) / 1e6;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
