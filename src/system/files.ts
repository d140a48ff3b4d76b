// The only door to the file system for what a run reads and leaves behind.
import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

export function readBytes(file: string): Buffer {
  return readFileSync(file);
}

export function readBytesIfThere(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
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
export function kindOf(path: string): 'file' | 'directory' | 'other' | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  } catch {
    // ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EACCES: nothing that could be looked at.
    return undefined;
  }
}

/** Whether a file that exists really lies in `root`, wherever links lead. */
export function reallyInside(root: string, file: string): boolean {
  const [real, found] = [realpathSync(root), realpathSync(file)];
  return found === real || found.startsWith(real.endsWith(sep) ? real : real + sep);
}

/** Written beside its name and moved there, so that nobody ever sees half a file. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}.partial`;
  const handle = openSync(partial, 'w');
  try {
    writeSync(handle, typeof content === 'string' ? Buffer.from(content) : content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(partial, file);
}

/** For a file that only has to live until the end of the run. */
export function writeLoosely(file: string, content: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A file that grows by whole lines, each on disk before the call returns. */
export function appendOnly(file: string): { append(line: string): void; close(): void } {
  mkdirSync(dirname(file), { recursive: true });
  const handle = openSync(file, 'wx');
  return { append: (line) => void writeSync(handle, `${line}\n`), close: () => closeSync(handle) };
}

export function entriesOf(dir: string): string[] | undefined {
  return existsSync(dir) ? readdirSync(dir) : undefined;
}

/** Every file below a directory, relative to it; none when it is not there. */
export function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
}

/** The absolute path of a relative one, or undefined when it would leave `root`. */
export function insideOf(root: string, path: string): string | undefined {
  if (isAbsolute(path) || /^[A-Za-z]:/.test(path) || path.split(/[\\/]/).includes('..')) return undefined;
  const [base, full] = [resolve(root), resolve(root, path)];
  return full === base || full.startsWith(base.endsWith(sep) ? base : base + sep) ? full : undefined;
}

const marker = '.recipewright';

/** An empty directory of ours: a former one is replaced only when it carries our mark. */
export function claimDirectory(dir: string): void {
  const entries = entriesOf(dir);
  if (entries && entries.length > 0 && !entries.includes(marker)) {
    throw new Error(`${dir} holds files that recipewright did not write. Choose another directory or empty it.`);
  }
  if (entries) rmSync(dir, { recursive: true });
  mkdirSync(dir, { recursive: true });
  writeWhole(join(dir, marker), 'This directory belongs to recipewright and is replaced by the next run.\n');
}

/** Removes a directory of ours; one without our mark is left alone. */
export function removeClaimed(dir: string): void {
  for (const entry of entriesOf(dir) ?? []) {
    if (existsSync(join(dir, entry, marker))) rmSync(join(dir, entry), { recursive: true });
  }
}

/** Removes one directory, if it carries our mark. */
export function removeOwn(dir: string): void {
  if (existsSync(join(dir, marker))) rmSync(dir, { recursive: true });
}

export function moveDirectory(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
}

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** The files below `root` that match, sorted; the matcher is loaded only by those who look for files. */
export function findFiles(root: string, patterns: readonly string[], load: NodeRequire): string[] {
  const { globSync } = load('fast-glob') as typeof import('fast-glob');
  return globSync([...patterns], { cwd: root, absolute: true, ignore: ['**/node_modules/**'] }).sort();
}

export function writeIfDifferent(file: string, content: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return;
  writeWhole(file, content);
}

/** Removes what an earlier run generated and this one did not. */
export function pruneFiles(dir: string, keep: ReadonlySet<string>): void {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !keep.has(file)) rmSync(file);
  }
}

/** How Node reads a `.js` file in this place. */
export function moduleTypeOf(path: string): 'module' | 'commonjs' {
  for (let dir = path; ; dir = dirname(dir)) {
    const manifest = join(dir, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type === 'module' ? 'module' : 'commonjs';
    if (dir === dirname(dir)) return 'commonjs';
  }
}
