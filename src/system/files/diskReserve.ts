// Reserves disk space for the end of a run, so that the summary can report a full disk.
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAll } from './atomicFile.js';

const reserveName = '.recipewright-reserve';
const reserveBytes = 65_536;

export function reserveDiskSpace(dir: string): void {
  const handle = openSync(join(dir, reserveName), 'wx');
  try {
    // Random, because a file system that compresses would reserve nothing for zeros.
    writeAll(handle, randomBytes(reserveBytes));
  } finally {
    closeSync(handle);
  }
}

export function releaseReserve(dir: string): void {
  rmSync(join(dir, reserveName), { force: true });
}

/** Releases the reserve and ignores errors, because the error that occurred before is the one to report. */
export function tryReleaseReserve(dir: string): void {
  try {
    releaseReserve(dir);
  } catch {
    // EIO, EROFS: the file stays.
  }
}
