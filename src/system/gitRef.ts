// The commit a project stands at, read from its files: asking git itself would cost a process.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Undefined outside of a repository, or when nothing was committed yet. */
export function gitRef(from: string): string | undefined {
  try {
    const dir = gitDir(from);
    if (dir === undefined) return undefined;
    const head = readFileSync(join(dir, 'HEAD'), 'utf8').trim();
    const [, name] = /^ref: (.+)$/.exec(head) ?? [];
    return name === undefined ? asCommit(head) : (loose(dir, name) ?? packed(dir, name));
  } catch {
    // ENOENT, EACCES: a repository that cannot be read tells nothing.
    return undefined;
  }
}

/** The nearest directory above that holds a repository. */
export function gitTop(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return realpathSync(dir);
    if (dir === dirname(dir)) return undefined;
  }
}

/** Where the repository of a work tree keeps its files. */
export function gitDir(from: string): string | undefined {
  const top = gitTop(from);
  if (top === undefined) return undefined;
  const found = join(top, '.git');
  return statSync(found).isDirectory() ? found : linked(top, found);
}

// A work tree or a submodule has a file that says where its repository is.
function linked(dir: string, file: string): string | undefined {
  const [, path] = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  return path === undefined ? undefined : resolve(dir, path);
}

function commonDir(dir: string): string {
  const file = join(dir, 'commondir');
  return existsSync(file) ? resolve(dir, readFileSync(file, 'utf8').trim()) : dir;
}

function loose(dir: string, name: string): string | undefined {
  const file = [dir, commonDir(dir)].map((root) => join(root, name)).find(existsSync);
  return file === undefined ? undefined : asCommit(readFileSync(file, 'utf8').trim());
}

function packed(dir: string, name: string): string | undefined {
  const file = join(commonDir(dir), 'packed-refs');
  if (!existsSync(file)) return undefined;
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((entry) => entry.endsWith(` ${name}`));
  return line === undefined ? undefined : asCommit(line.split(' ', 1)[0] ?? '');
}

function asCommit(text: string): string | undefined {
  return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}
