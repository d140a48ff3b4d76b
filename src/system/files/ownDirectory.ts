// Directories that belong to recipewright. Each contains a mark file, and nothing is deleted outside a directory with this mark.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAll, writeFileAtomically } from './atomicFile.js';
import { resolveInside } from './resolveInside.js';

const markName = '.recipewright';
const replaceableText = 'This directory belongs to recipewright and is replaced by the next run.\n';
const permanentText = 'This directory belongs to recipewright and holds the evidence of one run.\n';

/** Creates an empty directory. Replaces an existing directory only if its mark allows that. */
export function claimDirectory(dir: string): void {
  const entries = existsSync(dir) ? readdirSync(dir) : undefined;
  if (entries && entries.length > 0 && !isReplaceable(dir)) throw createForeignDirError(dir);
  if (entries) rmSync(dir, { recursive: true });
  mkdirSync(dir, { recursive: true });
  writeFileAtomically(join(dir, markName), replaceableText, { isFlushed: false });
}

/** `isNew`: whether the directory did not exist before. */
export type DirectoryClaim = { isTaken: true; isNew: boolean } | { isTaken: false; belongsTo: 'another run' | 'others' };

/** Claims a new or empty directory for one run, permanently. If several runs try at the same time, exactly one succeeds. */
export function claimRunDirectory(dir: string): DirectoryClaim {
  mkdirSync(dirname(dir), { recursive: true });
  const isNew = makeDirectory(dir);
  if (!isNew && readdirSync(dir).length > 0)
    return { isTaken: false, belongsTo: existsSync(join(dir, markName)) ? 'another run' : 'others' };
  const handle = openMark(dir, isNew);
  if (handle === undefined) return { isTaken: false, belongsTo: 'another run' };
  try {
    writeMark(handle);
    // Another process may have created a file in the directory in the meantime.
    if (readdirSync(dir).length === 1) return { isTaken: true, isNew };
  } catch (thrown) {
    releaseRunDirectory(dir, isNew);
    throw thrown;
  }
  releaseRunDirectory(dir, isNew);
  return { isTaken: false, belongsTo: 'others' };
}

/** Releases an unused directory: removes the mark, and the directory itself if it was new. */
export function releaseRunDirectory(dir: string, isNew: boolean): void {
  try {
    rmSync(join(dir, markName), { force: true });
  } catch {
    // EIO, EROFS: the mark stays. The error that occurred before is reported.
  }
  if (isNew) removeIfEmpty(dir);
}

/** Removes the replaceable directories directly in `dir`. */
export function removeReplaceableIn(dir: string): void {
  for (const entry of existsSync(dir) ? readdirSync(dir) : []) removeIfReplaceable(join(dir, entry));
}

export function removeIfReplaceable(dir: string): void {
  if (isReplaceable(dir)) rmSync(dir, { recursive: true });
}

/** Lists the replaceable directories below `dir`, relative to it, except those that belong to another suite. */
export function listReplaceableBelow(dir: string, below = ''): string[] {
  const entries = readdirSync(join(dir, below), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) => {
      const path = below === '' ? name : `${below}/${name}`;
      if (isReplaceable(join(dir, path))) return [path];
      return existsSync(join(dir, path, 'suite.json')) ? [] : listReplaceableBelow(dir, path);
    });
}

/** Removes `path` in the directory `owned`, if that directory is replaceable. */
export function removePartOfReplaceable(owned: string, path: string): void {
  const part = resolveInside(owned, path);
  if (part !== undefined && part !== owned && isReplaceable(owned)) rmSync(part, { recursive: true, force: true });
}

/** Moves a directory. Throws when `to` exists and is not replaceable. */
export function moveDirectory(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  if (existsSync(to) && !isReplaceable(to)) throw createForeignDirError(to);
  removeIfReplaceable(to);
  renameSync(from, to);
}

function createForeignDirError(dir: string): Error {
  return new Error(
    `${dir} contains files that recipewright did not write, or may not replace. Choose another directory, or empty this one.`,
  );
}

/** Whether recipewright wrote a package to the directory. */
export function hasMark(dir: string): boolean {
  return [replaceableText, permanentText].includes(readMark(dir) ?? '');
}

// A file or folder of another program may have the name of the mark, so the content is checked.
function isReplaceable(dir: string): boolean {
  return readMark(dir) === replaceableText;
}

function readMark(dir: string): string | undefined {
  try {
    return readFileSync(join(dir, markName), 'utf8');
  } catch {
    // ENOENT, ENOTDIR, EISDIR, EACCES
    return undefined;
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

function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // ENOTEMPTY: another process uses the directory. EIO, EROFS: the directory stays.
  }
}

function openMark(dir: string, isNew: boolean): number | undefined {
  try {
    return openSync(join(dir, markName), 'wx');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    if (isNew) removeIfEmpty(dir);
    throw thrown;
  }
}

function writeMark(handle: number): void {
  try {
    writeAll(handle, Buffer.from(permanentText));
  } finally {
    closeSync(handle);
  }
}
