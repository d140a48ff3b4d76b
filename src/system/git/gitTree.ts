// Describes the work tree of a project with git: its commit, the files that differ from the commit, and a digest of both.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, lstatSync, mkdtempSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { digestFile } from '../files/fileDigest.js';
import { hasMark } from '../files/ownDirectory.js';
import { readBounded } from '../files/readBounded.js';
import { findGitTop, readHeadCommit, runGit } from './gitRepository.js';

export type GitTree = {
  /** The top directory of the work tree. */
  top: string;
  /** Missing before the first commit, and when git cannot run. */
  commit?: string;
  /** Missing when git cannot run. */
  state?: {
    isDirty: boolean;
    /** SHA-256 over the tree of the commit and the contents of the files that differ from the commit. */
    digest: string;
    /** The first paths that differ, relative to `top`, sorted. */
    changes: string[];
    changeCount: number;
    /** The files of the commit that have changed, except those that runs write. */
    tracked: TrackedChanges;
  };
};

/** `contents`: the contents of the first changed files. */
type TrackedChanges = { digest: string; count: number; contents: Record<string, string> };

/** The files that runs write. They do not make the work tree dirty. */
export type OwnFiles = {
  /** Directories for suites of packages. */
  outputDirs?: readonly string[];
  /** Directories and files of the test runner. Their untracked files are left out. */
  hostDirs?: readonly string[];
};

const maxListedPaths = 20;
/** Above this total size, files are compared by name and size only, because an untracked database must not delay a run. */
const maxHashedBytes = 64_000_000;

/** Returns undefined outside a repository. */
export function readGitTree(from: string, own: OwnFiles = {}): GitTree | undefined {
  const top = findGitTop(from);
  if (top === undefined) return undefined;
  const current = readChanges(top, own);
  if (current === undefined) {
    const commit = readHeadCommit(top);
    return { top, ...(commit === undefined ? {} : { commit }) };
  }
  const { commit, changes } = current;
  const { isIndex, isOwn, isInOwnDirectory } = createOwnFileRules(top, own);
  const foreignChanges = changes.filter(({ path, isTracked }) => !isIndex(path) && (isTracked || !isOwn(path)));
  const tree =
    commit === undefined ? '' : (runGit(top, ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`])?.trim() ?? commit);
  const paths = foreignChanges.map(({ path }) => path);
  const tracked = describeContents(top, listPathsInCommit(foreignChanges), own);
  const untracked = describeContents(
    top,
    foreignChanges.filter(({ isInCommit }) => !isInCommit).map(({ path }) => path),
    own,
  );
  const contents = new Map([...tracked, ...untracked]);
  return {
    top,
    ...(commit === undefined ? {} : { commit }),
    state: {
      isDirty: foreignChanges.length > 0,
      digest: digestContents(tree, paths, contents),
      changes: paths.slice(0, maxListedPaths),
      changeCount: foreignChanges.length,
      tracked: summarizeTracked(new Map([...tracked].filter(([path]) => !isInOwnDirectory(path)))),
    },
  };
}

/** Lists the files of `start`'s commit that changed since `start` was read. New files are left out. */
export function listChangesSince(start: GitTree, own: OwnFiles = {}): string[] {
  if (!start.state) return [];
  const { top, commit, state } = start;
  const now = existsSync(join(top, '.git')) ? readChanges(top, own, commit) : undefined;
  if (now === undefined) return ['unknown, because git could not run at the end of the run'];
  const { isInOwnDirectory } = createOwnFileRules(top, own);
  const paths = listPathsInCommit(now.changes).filter((path) => !isInOwnDirectory(path));
  const contents = describeContents(top, paths, own);
  const { digest, count, contents: known } = state.tracked;
  if (summarizeTracked(contents).digest === digest) return [];
  const isAllKnown = count === Object.keys(known).length;
  const changed = [...new Set([...Object.keys(known), ...paths])].filter(
    (path) => (isAllKnown || Object.hasOwn(known, path)) && known[path] !== contents.get(path),
  );
  if (changed.length === 0) return [`some of the ${count} files that already differed before the run`];
  const more = changed.length > maxListedPaths ? [`and ${changed.length - maxListedPaths} more`] : [];
  return [...changed.sort().slice(0, maxListedPaths), ...more];
}

function listPathsInCommit(changes: readonly Change[]): string[] {
  return changes.filter(({ isInCommit }) => isInCommit).map(({ path }) => path);
}

function summarizeTracked(contents: ReadonlyMap<string, string>): TrackedChanges {
  const paths = [...contents.keys()];
  const first = paths.slice(0, maxListedPaths).map((path) => [path, contents.get(path) ?? '']);
  return { digest: digestContents('', paths, contents), count: paths.length, contents: Object.fromEntries(first) };
}

/** `isInCommit`: whether the commit contains the file. */
type Change = { path: string; isTracked: boolean; isInCommit: boolean };

/** Lists the files that differ from the commit, or with `since`, the tracked files that differ from that commit. Returns undefined when git cannot run. */
function readChanges(top: string, own: OwnFiles, since?: string): { commit?: string; changes: Change[] } | undefined {
  const others = since === undefined ? ['--others', '--exclude-per-directory=.gitignore', ...readPersonalExcludes(top)] : [];
  const listing = runGit(top, ['ls-files', '-z', '-v', '-s', '--cached', ...others]);
  if (listing === undefined) return undefined;
  const { untracked, submodules, flagged } = parseListing(listing);
  const current = withUnflaggedIndex(top, flagged, (index) => readTrackedChanges(top, index, since));
  if (current === undefined) return undefined;
  const known = new Set(current.changes.map(({ path }) => path));
  const hidden = submodules.filter((path) => !known.has(path) && isDirtyRepository(join(top, path), own));
  const changes = [
    ...current.changes,
    ...hidden.map((path) => ({ path, isTracked: true, isInCommit: true })),
    ...untracked.map((path) => ({ path, isTracked: false, isInCommit: false })),
  ];
  changes.sort((one, two) => (one.path < two.path ? -1 : 1));
  return { ...current, changes };
}

function readTrackedChanges(top: string, index: string | undefined, since?: string) {
  const options = ['-z', '--no-renames', '--ignore-submodules=none'];
  const status = runGit(top, ['status', '--porcelain=v2', '--branch', '--untracked-files=no', ...options], { index });
  const current = status === undefined ? undefined : parseStatus(status);
  if (!current || since === undefined || current.commit === since) return current;
  // HEAD has moved since that commit.
  const diff = runGit(top, ['diff', '--name-only', '--no-ext-diff', '--diff-filter=a', ...options, since, '--'], { index });
  const paths = diff?.split('\0').filter((path) => path !== '');
  return paths && { ...current, changes: paths.map((path): Change => ({ path, isTracked: true, isInCommit: true })) };
}

// A user's own excludes are for files of editors and systems. The excludes of this clone are ignored, because no other user sees them.
function readPersonalExcludes(top: string): string[] {
  const lines = runGit(top, ['config', '--show-scope', '--type=path', '--get-all', 'core.excludesFile'])?.split('\n') ?? [];
  const configuredFile = lines.map((line) => /^(?:system|global)\t(.+)$/.exec(line)?.[1]).findLast((file) => file !== undefined);
  const file = configuredFile ?? join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'git', 'ignore');
  return existsSync(file) ? [`--exclude-from=${file}`] : [];
}

type FlaggedFile = { path: string; isAssumed: boolean; isSkipped: boolean };

// ? path | TAG mode oid stage TAB path. TAG is a lower-case letter for --assume-unchanged, and S for --skip-worktree.
function parseListing(text: string): { untracked: string[]; submodules: string[]; flagged: FlaggedFile[] } {
  const untracked: string[] = [];
  const submodules: string[] = [];
  const flagged: FlaggedFile[] = [];
  for (const line of text.split('\0')) {
    const tag = line[0] ?? '';
    if (tag === '?') untracked.push(line.slice(2));
    else if (tag !== '') {
      const path = line.slice(line.indexOf('\t') + 1);
      if (line.startsWith('160000 ', 2)) submodules.push(path);
      const [isAssumed, isSkipped] = [/[a-z]/.test(tag), /s/i.test(tag)];
      if (isAssumed || isSkipped) flagged.push({ path, isAssumed, isSkipped });
    }
  }
  return { untracked, submodules, flagged };
}

/** Calls `read` with a copy of the index without --assume-unchanged and --skip-worktree, so that git reads those files too. */
function withUnflaggedIndex<T>(top: string, flagged: readonly FlaggedFile[], read: (index?: string) => T): T | undefined {
  const isSparse =
    flagged.some(({ isSkipped }) => isSkipped) && runGit(top, ['config', '--bool', 'core.sparseCheckout'])?.trim() === 'true';
  const flaggedFiles = flagged.filter(({ path, isSkipped }) => !(isSparse && isSkipped) || pathExists(join(top, path)));
  if (flaggedFiles.length === 0) return read();
  const original = runGit(top, ['rev-parse', '--git-path', 'index'])?.trim();
  if (original === undefined) return undefined;
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-index-'));
  try {
    const index = join(dir, 'index');
    copyFileSync(resolve(top, original), index);
    for (const [flag, isSet] of [
      ['assume-unchanged', 'isAssumed'],
      ['skip-worktree', 'isSkipped'],
    ] as const) {
      const paths = flaggedFiles.filter((one) => one[isSet]).map(({ path }) => `${path}\0`);
      if (paths.length === 0) continue;
      const done = runGit(top, ['update-index', `--no-${flag}`, '-z', '--stdin'], { index, input: paths.join('') });
      if (done === undefined) return undefined;
    }
    return read(index);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function pathExists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Whether a submodule has changes, which its own index and config may hide. Returns false when the submodule is not checked out. */
function isDirtyRepository(dir: string, own: OwnFiles): boolean {
  return existsSync(join(dir, '.git')) && readGitTree(dir, own)?.state?.isDirty !== false;
}

// 1 XY sub mH mI mW hH hI path | u XY sub m1 m2 m3 mW h1 h2 h3 path
const fieldsBefore: Readonly<Record<string, number>> = { '1': 8, u: 10 };

function parseStatus(text: string): { commit?: string; changes: Change[] } {
  const lines = text.split('\0').filter((line) => line !== '');
  const oid = lines.map((line) => /^# branch\.oid ([0-9a-f]{40,64})$/.exec(line)?.[1]).find((found) => found !== undefined);
  const changes = lines.flatMap((line): Change[] => {
    const fields = fieldsBefore[line[0] ?? ''];
    if (fields === undefined) return [];
    return [{ path: line.split(' ').slice(fields).join(' '), isTracked: true, isInCommit: !line.slice(2, 4).includes('A') }];
  });
  return { ...(oid === undefined ? {} : { commit: oid }), changes };
}

function digestContents(tree: string, paths: readonly string[], contents: ReadonlyMap<string, string>): string {
  const digest = createHash('sha256').update(`tree ${tree}\0`);
  for (const path of paths) digest.update(`${contents.get(path)} ${path}\0`);
  return `sha256:${digest.digest('hex')}`;
}

function describeContents(top: string, paths: readonly string[], own: OwnFiles): Map<string, string> {
  let hashed = 0;
  return new Map(
    paths.map((path) => {
      const { text, size } = describeContent(join(top, path), maxHashedBytes - hashed, own);
      hashed += size;
      return [path, text];
    }),
  );
}

function describeContent(file: string, budget: number, own: OwnFiles): { text: string; size: number } {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return { text: 'deleted', size: 0 };
  if (stats.isSymbolicLink()) return { text: `link ${readlinkSync(file)}`, size: 0 };
  if (!stats.isFile()) return { text: `other ${describeRepository(file, own)}`, size: 0 };
  const kind = stats.mode & 0o100 ? 'program' : 'file';
  const content = stats.size <= budget ? digestFile(file) : undefined;
  return content
    ? { text: `${kind} ${content.sha256}`, size: content.size }
    : { text: `${kind} of ${stats.size} bytes`, size: 0 };
}

// Describes a submodule, or a repository inside this one.
function describeRepository(dir: string, own: OwnFiles): string {
  const { commit = '', state } = (existsSync(join(dir, '.git')) ? readGitTree(dir, own) : undefined) ?? {};
  return `${commit} ${state?.digest ?? ''}`;
}

const indexFiles = new Set(['suite.json', 'index.md', 'index.html', '.suite.lock']);

type OwnFileRules = {
  /** Whether the file is an index of a suite, tracked or not, which each run rewrites. */
  isIndex(path: string): boolean;
  /** Whether runs wrote an untracked file. */
  isOwn(path: string): boolean;
  /** Whether the file is in a directory where runs may replace even committed files. */
  isInOwnDirectory(path: string): boolean;
};

function createOwnFileRules(top: string, { outputDirs = [], hostDirs = [] }: OwnFiles): OwnFileRules {
  const below = (dirs: readonly string[]): string[] => dirs.flatMap((dir) => relativeBelow(top, dir) ?? []);
  const [outputs, hosts] = [below(outputDirs), below(hostDirs)];
  const isBelow = (path: string, dir: string): boolean => path === dir || path.startsWith(`${dir}/`);
  const packages = findPackageFiles(top);
  return {
    isIndex: (path) => outputs.some((dir) => indexFiles.has(path.slice(dir.length + 1)) && path.startsWith(`${dir}/`)),
    isOwn(path) {
      if (hosts.some((dir) => isBelow(path, dir))) return true;
      const output = outputs.find((dir) => path.startsWith(`${dir}/`));
      return (output !== undefined && path.startsWith(`${output}/.attempts/`)) || packages.has(path, output);
    },
    isInOwnDirectory: (path) => [...outputs, ...hosts].some((dir) => isBelow(path, dir)),
  };
}

/** Files of each package. If the run was killed, no manifest lists them. */
const alwaysInPackages = ['.recipewright', 'artifact-manifest.json', 'journal.jsonl', 'recipe.json'];

/** Finds files of packages. In an output directory, all files beside a mark are ours. Elsewhere, only the files of a package are ours. */
function findPackageFiles(top: string): { has(path: string, outputDir: string | undefined): boolean } {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  const readPackageFiles = (dir: string): ReadonlySet<string> | undefined => {
    if (!known.has(dir)) known.set(dir, hasMark(join(top, dir)) ? listPackageFiles(join(top, dir)) : undefined);
    return known.get(dir);
  };
  return {
    has(path, outputDir) {
      for (let dir = dirname(path); dir !== '.'; dir = dirname(dir)) {
        const files = readPackageFiles(dir);
        const isInOutput = outputDir !== undefined && `${dir}/`.startsWith(`${outputDir}/`);
        if (files && (isInOutput || files.has(path.slice(dir.length + 1)))) return true;
      }
      return false;
    },
  };
}

function listPackageFiles(dir: string): ReadonlySet<string> {
  return new Set([...(existsSync(join(dir, 'journal.jsonl')) ? alwaysInPackages : []), ...listManifestPaths(dir)]);
}

function listManifestPaths(dir: string): string[] {
  const read = readBounded(join(dir, 'artifact-manifest.json'), maxHashedBytes);
  if (!('bytes' in read)) return [];
  try {
    const { artifacts } = JSON.parse(read.bytes.toString()) as { artifacts: { path: string }[] };
    return [...alwaysInPackages, ...artifacts.map(({ path }) => path)];
  } catch {
    // SyntaxError, TypeError: the file is not a manifest of recipewright.
    return [];
  }
}

/** Returns undefined for a directory outside `top`, and for `top` itself. */
function relativeBelow(top: string, dir: string): string | undefined {
  const path = relative(top, existsSync(dir) ? realpathSync(dir) : dir)
    .split(sep)
    .join('/');
  return path === '' || path.startsWith('..') || path.includes(':') ? undefined : path;
}
