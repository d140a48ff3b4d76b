import { readFileSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    // A zombie answers signals, but its state tells.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // ENOENT: it is gone.
    return false;
  }
}
