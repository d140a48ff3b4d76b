// The only door to the file system for what a run reads and leaves behind.
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

/** The text of a file, with what is no UTF-8 replaced; undefined when it cannot be read. */
export function tryReadText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // EACCES, ENOENT for one that is gone since it was found, or ERR_STRING_TOO_LONG.
    return undefined;
  }
}

/** Another text when a file or directory was changed. */
export function readChangeStamp(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.size}-${found.mtimeMs}` : '-';
}

/** When a file, or what lies there in its place, was changed last: also one that was moved there. */
export function readLastChangeMs(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? Math.max(found.mtimeMs, found.ctimeMs) : Number.POSITIVE_INFINITY;
}

/** When a file was changed last. */
export function readModifiedTime(file: string): string | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtime.toISOString();
}

export function fileSize(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** Whether a file can be found there; a path that no file can have is no file. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // ENOENT, ENOTDIR, EACCES, ENAMETOOLONG, ELOOP, or ERR_INVALID_ARG_VALUE for a null byte.
    return false;
  }
}

/** What lies there, with links followed; undefined when there is nothing. */
export function readPathKind(path: string): 'file' | 'directory' | 'other' | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  } catch {
    // ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EACCES: nothing that could be looked at.
    return undefined;
  }
}

/** Whether a file that exists really lies in `root`, wherever links lead. */
export function isRealPathInside(root: string, file: string): boolean {
  const [real, found] = [realpathSync(root), realpathSync(file)];
  return found === real || found.startsWith(real.endsWith(sep) ? real : real + sep);
}

/** For a file that only has to live until the end of the run. */
export function writeShortLivedFile(file: string, content: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

export function readDirectory(dir: string): string[] | undefined {
  return existsSync(dir) ? readdirSync(dir) : undefined;
}

/** Every file below a directory, relative to it; none when it is not there. */
export function listFilesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
}

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** The files below `root` that match, sorted; the matcher is loaded only by those who look for files. */
export function findFiles(root: string, patterns: readonly string[], load: NodeRequire): string[] {
  const { globSync } = load('fast-glob') as typeof import('fast-glob');
  return globSync([...patterns], { cwd: root, absolute: true, ignore: ['**/node_modules/**'] }).sort();
}

/** What is generated: when a power cut takes it, the next run makes it again. */
export function writeIfDifferent(file: string, content: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return;
  writeFileAtomically(file, content, { isFlushed: false });
}

/** Removes what an earlier run generated and this one did not. */
export function pruneFiles(dir: string, keep: ReadonlySet<string>): void {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !keep.has(file)) rmSync(file);
  }
}

/** A generated file that can be made again. */
export function removeGeneratedFile(file: string): void {
  rmSync(file, { force: true });
}

/** How Node reads a `.js` file in this place. */
export function findModuleType(path: string): 'module' | 'commonjs' {
  for (let dir = path; ; dir = dirname(dir)) {
    const manifest = join(dir, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type === 'module' ? 'module' : 'commonjs';
    if (dir === dirname(dir)) return 'commonjs';
  }
}

/** Removes a file, or the link in its place; nothing happens when there is none. */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** A second name for a file, on the same disk: what is written under the one is read under the other. */
export function linkFile(file: string, name: string): void {
  linkSync(file, name);
}
