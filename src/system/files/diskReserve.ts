// Room on the disk that is kept for the last words of a run: when the disk is full, the summary still has to say so.
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAll } from './atomicFile.js';

const reserveName = '.recipewright-reserve';
const reserveBytes = 65_536;

export function reserveDiskSpace(dir: string): void {
  const handle = openSync(join(dir, reserveName), 'wx');
  try {
    // A file system that compresses would keep no room for zeros.
    writeAll(handle, randomBytes(reserveBytes));
  } finally {
    closeSync(handle);
  }
}

export function releaseReserve(dir: string): void {
  rmSync(join(dir, reserveName), { force: true });
}

/** When something else went wrong already, which is what has to be told. */
export function tryReleaseReserve(dir: string): void {
  try {
    releaseReserve(dir);
  } catch {
    // EIO, EROFS: it stays.
  }
}
