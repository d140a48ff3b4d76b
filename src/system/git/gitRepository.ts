// The commit a project stands at, read from its files: asking git itself would cost a process.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Undefined outside of a repository, or when nothing was committed yet. */
export function readHeadCommit(from: string): string | undefined {
  try {
    const dir = findGitDir(from);
    if (dir === undefined) return undefined;
    const head = readFileSync(join(dir, 'HEAD'), 'utf8').trim();
    const [, name] = /^ref: (.+)$/.exec(head) ?? [];
    return name === undefined ? parseCommit(head) : (readLooseRef(dir, name) ?? readPackedRef(dir, name));
  } catch {
    // ENOENT, EACCES: a repository that cannot be read tells nothing.
    return undefined;
  }
}

/** The nearest directory above that holds a repository. */
export function findGitTop(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return realpathSync(dir);
    if (dir === dirname(dir)) return undefined;
  }
}

/** Where the repository of a work tree keeps its files. */
export function findGitDir(from: string): string | undefined {
  const top = findGitTop(from);
  if (top === undefined) return undefined;
  const found = join(top, '.git');
  return statSync(found).isDirectory() ? found : readGitFile(top, found);
}

// A work tree or a submodule has a file that says where its repository is.
function readGitFile(dir: string, file: string): string | undefined {
  const [, path] = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  return path === undefined ? undefined : resolve(dir, path);
}

function commonDir(dir: string): string {
  const file = join(dir, 'commondir');
  return existsSync(file) ? resolve(dir, readFileSync(file, 'utf8').trim()) : dir;
}

function readLooseRef(dir: string, name: string): string | undefined {
  const file = [dir, commonDir(dir)].map((root) => join(root, name)).find(existsSync);
  return file === undefined ? undefined : parseCommit(readFileSync(file, 'utf8').trim());
}

function readPackedRef(dir: string, name: string): string | undefined {
  const file = join(commonDir(dir), 'packed-refs');
  if (!existsSync(file)) return undefined;
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((entry) => entry.endsWith(` ${name}`));
  return line === undefined ? undefined : parseCommit(line.split(' ', 1)[0] ?? '');
}

function parseCommit(text: string): string | undefined {
  return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}
