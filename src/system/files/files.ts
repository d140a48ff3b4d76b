// Small functions that read, list and inspect files.
import { hash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { writeFileAtomically } from './atomicFile.js';

export { writeFileAtomically, writeFilesAtomically } from './atomicFile.js';
export { openLineFile } from './lineFile.js';
export {
  claimDirectory,
  listReplaceableBelow,
  moveDirectory,
  removeIfReplaceable,
  removePartOfReplaceable,
  removeReplaceableIn,
} from './ownDirectory.js';
export { resolveInside } from './resolveInside.js';

export function readBytes(file: string): Buffer {
  return readFileSync(file);
}

export function readBytesIfThere(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** Returns undefined when the file cannot be read. Replaces bytes that are not UTF-8. */
export function tryReadText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // EACCES, ERR_STRING_TOO_LONG, or ENOENT for a file that was removed since it was found.
    return undefined;
  }
}

/** Returns a string that differs after a file or directory was changed. */
export function readChangeStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.size}-${stats.mtimeMs}` : '-';
}

/** Returns the time of the last change at this path, by a write or by a file that was moved to the path. */
export function readLastChangeMs(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? Math.max(stats.mtimeMs, stats.ctimeMs) : Number.POSITIVE_INFINITY;
}

export function readModifiedTime(file: string): string | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtime.toISOString();
}

export function fileSize(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** Whether there is a file at the path. Does not throw for a path that no file can have. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // ENOENT, ENOTDIR, EACCES, ENAMETOOLONG, ELOOP, or ERR_INVALID_ARG_VALUE for a null byte.
    return false;
  }
}

/** Returns undefined when there is nothing at the path. Follows links. */
export function readPathKind(path: string): 'file' | 'directory' | 'other' | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  } catch {
    // ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EACCES
    return undefined;
  }
}

/** Whether an existing file is inside `root` after all links are resolved. */
export function isRealPathInside(root: string, file: string): boolean {
  const [realRoot, realFile] = [realpathSync(root), realpathSync(file)];
  return realFile === realRoot || realFile.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

/** Writes a file that is only needed until the end of the run. */
export function writeShortLivedFile(file: string, content: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

export function readDirectory(dir: string): string[] | undefined {
  return existsSync(dir) ? readdirSync(dir) : undefined;
}

/** Lists files by paths relative to `dir`. Returns an empty list when the directory does not exist. */
export function listFilesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
}

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** Returns absolute paths, sorted. The matcher is loaded on demand. */
export function findFiles(root: string, patterns: readonly string[], load: NodeRequire): string[] {
  const { globSync } = load('fast-glob') as typeof import('fast-glob');
  return globSync([...patterns], { cwd: root, absolute: true, ignore: ['**/node_modules/**'] }).sort();
}

/** Writes a generated file without flushing, because the next run replaces a file that a power failure damaged. */
export function writeIfDifferent(file: string, content: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return;
  writeFileAtomically(file, content, { isFlushed: false });
}

/** Removes files that an earlier run generated and this run did not. */
export function pruneFiles(dir: string, keep: ReadonlySet<string>): void {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !keep.has(file)) rmSync(file);
  }
}

export function removeGeneratedFile(file: string): void {
  rmSync(file, { force: true });
}

/** Returns the module type of `.js` files in this directory. */
export function findModuleType(path: string): 'module' | 'commonjs' {
  for (let dir = path; ; dir = dirname(dir)) {
    const manifest = join(dir, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type === 'module' ? 'module' : 'commonjs';
    if (dir === dirname(dir)) return 'commonjs';
  }
}

/** Removes a file or a link, if there is one. */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** Creates a hard link. */
export function linkFile(file: string, name: string): void {
  linkSync(file, name);
}
