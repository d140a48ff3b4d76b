// Directories that belong to recipewright. A mark says so, and nothing is ever deleted but inside of a directory that carries it.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeWhole } from './wholeFile.js';
import { writeAll } from './writeAll.js';

const mark = '.recipewright';
const replaceable = 'This directory belongs to recipewright and is replaced by the next run.\n';
const lasting = 'This directory belongs to recipewright and holds the evidence of one run.\n';

/** An empty directory of ours: a former one is replaced only when its mark allows it. */
export function claimDirectory(dir: string): void {
  const entries = existsSync(dir) ? readdirSync(dir) : undefined;
  if (entries && entries.length > 0 && !isReplaceable(dir)) {
    throw new Error(
      `${dir} holds files that recipewright did not write, or may not replace. Choose another directory or empty it.`,
    );
  }
  if (entries) rmSync(dir, { recursive: true });
  mkdirSync(dir, { recursive: true });
  writeWhole(join(dir, mark), replaceable);
}

export type Taking = 'taken' | 'not empty' | 'taken by another run';

/** Makes a directory, or takes an empty one, for one run and for good; of several that try at once exactly one gets it. */
export function takeDirectory(dir: string): Taking {
  mkdirSync(dirname(dir), { recursive: true });
  const isNew = makeDirectory(dir);
  if (!isNew && readdirSync(dir).length > 0) return existsSync(join(dir, mark)) ? 'taken by another run' : 'not empty';
  try {
    writeMark(join(dir, mark));
  } catch (thrown) {
    if (isNew && readdirSync(dir).length === 0) rmdirSync(dir);
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return 'taken by another run';
    throw thrown;
  }
  // Somebody may have put something there while we looked.
  if (readdirSync(dir).length === 1) return 'taken';
  rmSync(join(dir, mark));
  return 'not empty';
}

/** Gives back a directory that was taken and in which nothing was done. */
export function giveBackDirectory(dir: string): void {
  rmSync(join(dir, mark), { force: true });
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}

/** Removes the directories in this one that are ours to replace. */
export function removeClaimed(dir: string): void {
  for (const entry of existsSync(dir) ? readdirSync(dir) : []) removeOwn(join(dir, entry));
}

/** Removes one directory, if it is ours to replace. */
export function removeOwn(dir: string): void {
  if (isReplaceable(dir)) rmSync(dir, { recursive: true });
}

/** A former directory of this name has to be ours to replace. */
export function moveDirectory(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  removeOwn(to);
  // A directory that is not ours stays: rename() refuses to replace one that is not empty.
  renameSync(from, to);
}

// A file or folder of this name that somebody else made is no mark.
function isReplaceable(dir: string): boolean {
  try {
    return readFileSync(join(dir, mark), 'utf8') === replaceable;
  } catch {
    // ENOENT, ENOTDIR, EISDIR, EACCES: no mark that could be read.
    return false;
  }
}

function makeDirectory(dir: string): boolean {
  try {
    mkdirSync(dir);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    return false;
  }
}

function writeMark(file: string): void {
  const handle = openSync(file, 'wx');
  try {
    writeAll(handle, Buffer.from(lasting));
  } catch (thrown) {
    rmSync(file, { force: true });
    throw thrown;
  } finally {
    closeSync(handle);
  }
}
