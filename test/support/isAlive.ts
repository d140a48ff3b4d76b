import { readFileSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    // A zombie still accepts signals, so its state decides.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // ENOENT: the process is gone.
    return false;
  }
}
