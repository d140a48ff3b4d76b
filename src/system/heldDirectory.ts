// A directory held by its handle: what is done below it happens in this very directory, whatever is renamed or linked meanwhile.
import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { insideOf } from './insideOf.js';
import { writeWhole } from './wholeFile.js';

export type HeldDirectory = {
  /** Its name in file operations, as long as it is held. */
  path: string;
  /** Whether this path leads to it, now. */
  isAt(path: string): boolean;
  release(): void;
};

// Node has no openat(), but on Linux a path through a handle does the same.
const handles = '/proc/self/fd';
const asDirectory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Links on the way to it are followed once, here. */
export function holdDirectory(dir: string): HeldDirectory {
  return hold(realpathSync(dir));
}

/** Does something to a file below; directories on the way are made, and no link is followed. */
export function inHeld<T>(root: HeldDirectory, path: string, act: (file: string) => T): T {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const last = names.pop();
  if (last === undefined || insideOf('/', path) === undefined) throw new Error(`${JSON.stringify(path)} is no path inside.`);
  let at = root;
  const leave = (): void => {
    if (at !== root) at.release();
  };
  try {
    for (const name of names) {
      const next = enter(`${at.path}/${name}`);
      leave();
      at = next;
    }
    return act(`${at.path}/${last}`);
  } finally {
    leave();
  }
}

/** A file that must not be there yet, whole or not at all. */
export function writeNew(root: HeldDirectory, path: string, content: Uint8Array): void {
  inHeld(root, path, (file) => {
    if (lstatSync(file, { throwIfNoEntry: false })) throw refusal('EEXIST', 'lstat');
    // Its digest is in the journal, and tells what a power cut took.
    writeWhole(file, content, { isFlushed: false });
  });
}

function enter(dir: string): HeldDirectory {
  try {
    mkdirSync(dir);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  return hold(dir);
}

function hold(dir: string): HeldDirectory {
  if (process.platform !== 'linux' || !existsSync(handles)) return watched(dir);
  const handle = openSync(dir, asDirectory);
  return {
    path: `${handles}/${handle}`,
    isAt: (path) => isSame(fstatSync(handle), statSync(path, { throwIfNoEntry: false })),
    release: () => closeQuietly(handle),
  };
}

function closeQuietly(handle: number): void {
  try {
    closeSync(handle);
  } catch {
    // EIO: nothing was written through it that could be lost.
  }
}

// Elsewhere a link is refused when it is there, but one that is put there between two operations is followed.
function watched(dir: string): HeldDirectory {
  const found = lstatSync(dir);
  if (!found.isDirectory()) throw refusal('ENOTDIR', 'lstat');
  return { path: dir, isAt: (path) => isSame(found, statSync(path, { throwIfNoEntry: false })), release: () => undefined };
}

function refusal(code: string, syscall: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: refused by recipewright`), { code, syscall });
}

type Identity = { dev: number; ino: number };

function isSame(a: Identity, b: Identity | undefined): boolean {
  return a.dev === b?.dev && a.ino === b.ino;
}
