// Keeps a directory open by its handle, so that file operations below it reach this directory, even after renames or with new links.
import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { writeFileAtomically } from './atomicFile.js';
import { resolveInside } from './resolveInside.js';

export type DirectoryHandle = {
  /** The path of the directory for file operations, until the handle is released. */
  path: string;
  /** Whether `path` leads to this directory at the time of the call. */
  isAt(path: string): boolean;
  release(): void;
};

// Node has no openat(), but on Linux a path through a handle does the same.
const handlesDirectory = '/proc/self/fd';
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens a directory. Resolves links in `dir` once, at the time of the call. */
export function openDirectory(dir: string): DirectoryHandle {
  return openHandle(realpathSync(dir));
}

/** Calls `act` with the path of a file below `root`. Creates missing directories, and does not follow links. */
export function withFileBelow<T>(root: DirectoryHandle, path: string, act: (file: string) => T): T {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const last = names.pop();
  if (last === undefined || resolveInside('/', path) === undefined)
    throw new Error(`${JSON.stringify(path)} is not a path inside the directory.`);
  let parent = root;
  const releaseParent = (): void => {
    if (parent !== root) parent.release();
  };
  try {
    for (const name of names) {
      const next = openSubdirectory(`${parent.path}/${name}`);
      releaseParent();
      parent = next;
    }
    return act(`${parent.path}/${last}`);
  } finally {
    releaseParent();
  }
}

/** Writes a whole file or nothing. Throws EEXIST when the path exists. */
export function writeNewFile(root: DirectoryHandle, path: string, content: Uint8Array): void {
  withFileBelow(root, path, (file) => {
    if (lstatSync(file, { throwIfNoEntry: false })) throw createRefusal('EEXIST', 'lstat');
    // Not flushed, because the journal has the digest of the file, which shows damage by a power failure.
    writeFileAtomically(file, content, { isFlushed: false });
  });
}

function openSubdirectory(dir: string): DirectoryHandle {
  try {
    mkdirSync(dir);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  return openHandle(dir);
}

function openHandle(dir: string): DirectoryHandle {
  if (process.platform !== 'linux' || !existsSync(handlesDirectory)) return openByPath(dir);
  const handle = openSync(dir, directoryFlags);
  return {
    path: `${handlesDirectory}/${handle}`,
    isAt: (path) => isSameFile(fstatSync(handle), statSync(path, { throwIfNoEntry: false })),
    release: () => closeQuietly(handle),
  };
}

function closeQuietly(handle: number): void {
  try {
    closeSync(handle);
  } catch {
    // EIO: nothing was written through this handle.
  }
}

// On other systems than Linux, file operations follow a link that replaces the directory between two operations.
function openByPath(dir: string): DirectoryHandle {
  const stats = lstatSync(dir);
  if (!stats.isDirectory()) throw createRefusal('ENOTDIR', 'lstat');
  return { path: dir, isAt: (path) => isSameFile(stats, statSync(path, { throwIfNoEntry: false })), release: () => undefined };
}

function createRefusal(code: string, syscall: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: refused by recipewright`), { code, syscall });
}

type FileIdentity = { dev: number; ino: number };

function isSameFile(a: FileIdentity, b: FileIdentity | undefined): boolean {
  return a.dev === b?.dev && a.ino === b.ino;
}
