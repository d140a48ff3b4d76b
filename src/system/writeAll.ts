import { writeSync } from 'node:fs';

/** All of the bytes: one call may write fewer than it was given. */
export function writeAll(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
}
