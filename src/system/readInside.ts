// Reads a file that must lie inside of a directory: what is judged is the file that was opened, not what its path leads to a moment later.
import { closeSync, constants, openSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { reallyInside } from './files.js';
import { type BoundedRead, readBounded } from './readBounded.js';

/** As `readBounded`, or that links lead out of `root`. */
export function readInside(root: string, file: string, limit: number): BoundedRead | { outside: true } {
  if (process.platform !== 'linux') return readThenLook(root, file, limit);
  const handle = openFile(file);
  if (handle === undefined) return whyNot(file, limit);
  try {
    return isOpenInside(root, handle) ? readBounded(`/proc/self/fd/${handle}`, limit) : { outside: true };
  } finally {
    closeSync(handle);
  }
}

/** Whether the file that was opened lies in `root`; only Linux tells the path of a handle. */
export function isOpenInside(root: string, handle: number): boolean {
  const real = realpathSync(root);
  return readlinkSync(`/proc/self/fd/${handle}`).startsWith(real.endsWith(sep) ? real : real + sep);
}

// Where a handle does not tell its path, a link that is swapped in between the two calls goes unnoticed.
function readThenLook(root: string, file: string, limit: number): BoundedRead | { outside: true } {
  const read = readBounded(file, limit);
  return 'bytes' in read && !reallyInside(root, file) ? { outside: true } : read;
}

function openFile(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // ENOENT, EACCES, ENXIO and the like: told by whyNot().
    return undefined;
  }
}

// It could not be opened; if it can be by now, it was not there when it was asked for.
function whyNot(file: string, limit: number): BoundedRead {
  const read = readBounded(file, limit);
  return 'bytes' in read || 'size' in read ? { missing: '' } : read;
}
