// The work tree that a project runs from, as git sees it: its commit, what differs from that, and a digest over both.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileDigest } from './fileDigest.js';
import { gitRef, gitTop } from './gitRef.js';
import { hasMark } from './ownDirectory.js';

export type GitTree = {
  /** The directory that holds the repository. */
  top: string;
  /** Missing while nothing is committed. */
  commit?: string;
  /** Missing when git itself could not be asked. */
  state?: {
    isDirty: boolean;
    /** SHA-256 over the tree of the commit and the contents of what differs from it. */
    digest: string;
    /** The first paths that differ, relative to `top`, in their order. */
    changes: string[];
    changeCount: number;
  };
};

/** What a run writes itself does not make its tree another one. */
export type OwnFiles = {
  /** Directories in which a run keeps suites of packages. */
  outputDirs?: readonly string[];
  /** Directories of the test runner: what is not tracked in there is left out. */
  hostDirs?: readonly string[];
};

const mostNamed = 20;
const longestMs = 20_000;
/** Files beyond this many bytes are told apart by name and size: an untracked database must not hold up a run. */
const mostHashed = 64_000_000;

/** Undefined outside of a repository. */
export function readGitTree(from: string, own: OwnFiles = {}): GitTree | undefined {
  const top = gitTop(from);
  if (top === undefined) return undefined;
  const status = git(top, ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--no-renames']);
  if (status === undefined) {
    const commit = gitRef(top);
    return { top, ...(commit === undefined ? {} : { commit }) };
  }
  const { commit, changes } = parseStatus(status);
  const isOwn = ownFilesBelow(top, own);
  const left = changes.filter((change) => !isOwn(change));
  const tree = commit === undefined ? '' : (git(top, ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`])?.trim() ?? commit);
  const paths = left.map(({ path }) => path);
  return {
    top,
    ...(commit === undefined ? {} : { commit }),
    state: {
      isDirty: left.length > 0,
      digest: digestOf(top, tree, paths),
      changes: paths.slice(0, mostNamed),
      changeCount: left.length,
    },
  };
}

/** The commit that a name stands for in the repository around `from`; undefined when git does not know it. */
export function resolveCommit(from: string, name: string): string | undefined {
  const found = git(from, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])?.trim();
  return found !== undefined && /^[0-9a-f]{40,64}$/.test(found) ? found : undefined;
}

/** Set by git for its hooks: they would name another repository than the one that is asked about. */
const ofHooks = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX'];

// Without taking the lock of the index: somebody may be committing.
function git(cwd: string, args: readonly string[]): string | undefined {
  const { status, stdout, error } = spawnSync('git', ['--no-optional-locks', ...args], {
    ...{ cwd, encoding: 'utf8', windowsHide: true, timeout: longestMs, maxBuffer: 512_000_000 },
    stdio: ['ignore', 'pipe', 'ignore'],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofHooks.includes(name))),
  });
  return error || status !== 0 ? undefined : stdout;
}

type Change = { path: string; isTracked: boolean };

// 1 XY sub mH mI mW hH hI path | u XY sub m1 m2 m3 mW h1 h2 h3 path | ? path
const fieldsBefore: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

function parseStatus(text: string): { commit?: string; changes: Change[] } {
  const lines = text.split('\0').filter((line) => line !== '');
  const oid = lines.map((line) => /^# branch\.oid ([0-9a-f]{40,64})$/.exec(line)?.[1]).find((found) => found !== undefined);
  const changes = lines.flatMap((line): Change[] => {
    const fields = fieldsBefore[line[0] ?? ''];
    return fields === undefined ? [] : [{ path: line.split(' ').slice(fields).join(' '), isTracked: line[0] !== '?' }];
  });
  changes.sort((one, two) => (one.path < two.path ? -1 : 1));
  return { ...(oid === undefined ? {} : { commit: oid }), changes };
}

function digestOf(top: string, tree: string, paths: readonly string[]): string {
  const digest = createHash('sha256').update(`tree ${tree}\0`);
  let hashed = 0;
  for (const path of paths) {
    const { text, size } = contentOf(join(top, path), mostHashed - hashed);
    hashed += size;
    digest.update(`${text} ${path}\0`);
  }
  return `sha256:${digest.digest('hex')}`;
}

function contentOf(file: string, budget: number): { text: string; size: number } {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return { text: 'deleted', size: 0 };
  if (found.isSymbolicLink()) return { text: `link ${readlinkSync(file)}`, size: 0 };
  // A submodule, or a repository that lies in this one.
  if (!found.isFile()) return { text: `other ${gitRef(file) ?? ''}`, size: 0 };
  const kind = found.mode & 0o100 ? 'program' : 'file';
  const content = found.size <= budget ? fileDigest(file) : undefined;
  return content
    ? { text: `${kind} ${content.sha256}`, size: content.size }
    : { text: `${kind} of ${found.size} bytes`, size: 0 };
}

const indexFiles = new Set(['suite.json', 'index.md', 'index.html']);

function ownFilesBelow(top: string, { outputDirs = [], hostDirs = [] }: OwnFiles): (change: Change) => boolean {
  const [outputs, hosts] = [outputDirs, hostDirs].map((dirs) => dirs.flatMap((dir) => relativeTo(top, dir) ?? []));
  const marked = new Map<string, boolean>();
  const isMarked = (dir: string): boolean => {
    if (dir === '.') return false;
    const known = marked.get(dir) ?? (hasMark(join(top, dir)) || isMarked(dirname(dir)));
    marked.set(dir, known);
    return known;
  };
  return ({ path, isTracked }) => {
    if (isMarked(dirname(path))) return true;
    if (!isTracked && hosts?.some((dir) => path.startsWith(`${dir}/`))) return true;
    return outputs?.some((dir) => isIndexFile(path, dir)) === true;
  };
}

function isIndexFile(path: string, dir: string): boolean {
  if (!path.startsWith(`${dir}/`)) return false;
  const inside = path.slice(dir.length + 1);
  return indexFiles.has(inside) || inside.startsWith('.attempts/');
}

/** Undefined when it lies elsewhere, or is the whole of it. */
function relativeTo(top: string, dir: string): string | undefined {
  const path = relative(top, existsSync(dir) ? realpathSync(dir) : dir)
    .split(sep)
    .join('/');
  return path === '' || path.startsWith('..') || path.includes(':') ? undefined : path;
}
