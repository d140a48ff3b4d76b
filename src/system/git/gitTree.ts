// Describes the work tree of a project by git: its commit, the files that differ from it, and a digest of both.
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
  /** Missing before the first commit, and where git cannot be asked. */
  commit?: string;
  /** Missing where git cannot be asked. */
  state?: {
    isDirty: boolean;
    /** SHA-256 over the tree of the commit and the contents of what differs from it. */
    digest: string;
    /** The first paths that differ, relative to `top`, sorted. */
    changes: string[];
    changeCount: number;
    /** The files of the commit that differ from it, except those that runs write. */
    tracked: TrackedChanges;
  };
};

/** `contents`: of the first ones. */
type TrackedChanges = { digest: string; count: number; contents: Record<string, string> };

/** The files that a run itself writes do not make its tree dirty. */
export type OwnFiles = {
  /** Directories for suites of packages. */
  outputDirs?: readonly string[];
  /** Directories and files of the test runner. Untracked files there are left out. */
  hostDirs?: readonly string[];
};

const maxListedPaths = 20;
/** Beyond this many bytes in all, files are compared by name and size: an untracked database must not delay a run. */
const maxHashedBytes = 64_000_000;

/** Undefined outside a repository. */
export function readGitTree(from: string, own: OwnFiles = {}): GitTree | undefined {
  const top = findGitTop(from);
  if (top === undefined) return undefined;
  const seen = readChanges(top, own);
  if (seen === undefined) {
    const commit = readHeadCommit(top);
    return { top, ...(commit === undefined ? {} : { commit }) };
  }
  const { commit, changes } = seen;
  const { isIndex, isOwn, isInOwnDirectory } = createOwnFileRules(top, own);
  const foreignChanges = changes.filter(({ path, isTracked }) => !isIndex(path) && (isTracked || !isOwn(path)));
  const tree =
    commit === undefined ? '' : (runGit(top, ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`])?.trim() ?? commit);
  const paths = foreignChanges.map(({ path }) => path);
  const tracked = describeContents(top, pathsInCommit(foreignChanges), own);
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
  if (now === undefined) return ['not known, because git could not be asked when the run ended'];
  const { isInOwnDirectory } = createOwnFileRules(top, own);
  const paths = pathsInCommit(now.changes).filter((path) => !isInOwnDirectory(path));
  const contents = describeContents(top, paths, own);
  const { digest, count, contents: known } = state.tracked;
  if (summarizeTracked(contents).digest === digest) return [];
  const isAllKnown = count === Object.keys(known).length;
  const changed = [...new Set([...Object.keys(known), ...paths])].filter(
    (path) => (isAllKnown || Object.hasOwn(known, path)) && known[path] !== contents.get(path),
  );
  if (changed.length === 0) return [`some of the ${count} files that differed already`];
  const more = changed.length > maxListedPaths ? [`and ${changed.length - maxListedPaths} more`] : [];
  return [...changed.sort().slice(0, maxListedPaths), ...more];
}

function pathsInCommit(changes: readonly Change[]): string[] {
  return changes.filter(({ isInCommit }) => isInCommit).map(({ path }) => path);
}

function summarizeTracked(contents: ReadonlyMap<string, string>): TrackedChanges {
  const paths = [...contents.keys()];
  const first = paths.slice(0, maxListedPaths).map((path) => [path, contents.get(path) ?? '']);
  return { digest: digestContents('', paths, contents), count: paths.length, contents: Object.fromEntries(first) };
}

/** `isInCommit`: the file is not new since the commit. */
type Change = { path: string; isTracked: boolean; isInCommit: boolean };

/** Lists what differs from the commit, or with `since` the tracked files that differ from that commit. Undefined where git cannot be asked. */
function readChanges(top: string, own: OwnFiles, since?: string): { commit?: string; changes: Change[] } | undefined {
  const others = since === undefined ? ['--others', '--exclude-per-directory=.gitignore', ...personalExcludes(top)] : [];
  const listing = runGit(top, ['ls-files', '-z', '-v', '-s', '--cached', ...others]);
  if (listing === undefined) return undefined;
  const { untracked, submodules, flagged } = parseListing(listing);
  const seen = withUnflaggedIndex(top, flagged, (index) => trackedChanges(top, index, since));
  if (seen === undefined) return undefined;
  const known = new Set(seen.changes.map(({ path }) => path));
  const hidden = submodules.filter((path) => !known.has(path) && isDirtyRepository(join(top, path), own));
  const changes = [
    ...seen.changes,
    ...hidden.map((path) => ({ path, isTracked: true, isInCommit: true })),
    ...untracked.map((path) => ({ path, isTracked: false, isInCommit: false })),
  ];
  changes.sort((one, two) => (one.path < two.path ? -1 : 1));
  return { ...seen, changes };
}

function trackedChanges(top: string, index: string | undefined, since?: string) {
  const options = ['-z', '--no-renames', '--ignore-submodules=none'];
  const status = runGit(top, ['status', '--porcelain=v2', '--branch', '--untracked-files=no', ...options], { index });
  const seen = status === undefined ? undefined : parseStatus(status);
  if (!seen || since === undefined || seen.commit === since) return seen;
  // HEAD has moved since.
  const diff = runGit(top, ['diff', '--name-only', '--no-ext-diff', '--diff-filter=a', ...options, since, '--'], { index });
  const paths = diff?.split('\0').filter((path) => path !== '');
  return paths && { ...seen, changes: paths.map((path): Change => ({ path, isTracked: true, isInCommit: true })) };
}

// A user's own excludes are for files of editors and systems. Excludes of this clone alone hide nothing, because no other user sees them.
function personalExcludes(top: string): string[] {
  const lines = runGit(top, ['config', '--show-scope', '--type=path', '--get-all', 'core.excludesFile'])?.split('\n') ?? [];
  const named = lines.map((line) => /^(?:system|global)\t(.+)$/.exec(line)?.[1]).findLast((file) => file !== undefined);
  const file = named ?? join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'git', 'ignore');
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

/** Calls `look` with a copy of the index that has no --assume-unchanged and no --skip-worktree, so that git reads those files, too. */
function withUnflaggedIndex<T>(top: string, flagged: readonly FlaggedFile[], look: (index?: string) => T): T | undefined {
  const isSparse =
    flagged.some(({ isSkipped }) => isSkipped) && runGit(top, ['config', '--bool', 'core.sparseCheckout'])?.trim() === 'true';
  const hiding = flagged.filter(({ path, isSkipped }) => !(isSparse && isSkipped) || pathExists(join(top, path)));
  if (hiding.length === 0) return look();
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
      const paths = hiding.filter((one) => one[isSet]).map(({ path }) => `${path}\0`);
      if (paths.length === 0) continue;
      const done = runGit(top, ['update-index', `--no-${flag}`, '-z', '--stdin'], { index, input: paths.join('') });
      if (done === undefined) return undefined;
    }
    return look(index);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function pathExists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** For a submodule, whose own index and config may hide changes. False when it is not checked out. */
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
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return { text: 'deleted', size: 0 };
  if (found.isSymbolicLink()) return { text: `link ${readlinkSync(file)}`, size: 0 };
  if (!found.isFile()) return { text: `other ${describeRepository(file, own)}`, size: 0 };
  const kind = found.mode & 0o100 ? 'program' : 'file';
  const content = found.size <= budget ? digestFile(file) : undefined;
  return content
    ? { text: `${kind} ${content.sha256}`, size: content.size }
    : { text: `${kind} of ${found.size} bytes`, size: 0 };
}

// For a submodule, or a repository inside this one.
function describeRepository(dir: string, own: OwnFiles): string {
  const { commit = '', state } = (existsSync(join(dir, '.git')) ? readGitTree(dir, own) : undefined) ?? {};
  return `${commit} ${state?.digest ?? ''}`;
}

const indexFiles = new Set(['suite.json', 'index.md', 'index.html', '.suite.lock']);

type OwnFileRules = {
  /** Also for a tracked file, because a run rewrites it at once. */
  isIndex(path: string): boolean;
  /** For an untracked file. */
  isOwn(path: string): boolean;
  /** A run may write there, even over committed files. */
  isInOwnDirectory(path: string): boolean;
};

function createOwnFileRules(top: string, { outputDirs = [], hostDirs = [] }: OwnFiles): OwnFileRules {
  const below = (dirs: readonly string[]): string[] => dirs.flatMap((dir) => relativeBelow(top, dir) ?? []);
  const [outputs, hosts] = [below(outputDirs), below(hostDirs)];
  const isBelow = (path: string, dir: string): boolean => path === dir || path.startsWith(`${dir}/`);
  const packages = packagesBelow(top);
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

/** A package whose run was killed has no manifest that lists these. */
const alwaysInPackages = ['.recipewright', 'artifact-manifest.json', 'journal.jsonl', 'recipe.json'];

/** In an output directory all files beside a mark are ours. Elsewhere, where `run --artifacts-dir` put a package, only its own are. */
function packagesBelow(top: string): { has(path: string, outputDir: string | undefined): boolean } {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  const filesOf = (dir: string): ReadonlySet<string> | undefined => {
    if (!known.has(dir)) known.set(dir, hasMark(join(top, dir)) ? listedFiles(join(top, dir)) : undefined);
    return known.get(dir);
  };
  return {
    has(path, outputDir) {
      for (let dir = dirname(path); dir !== '.'; dir = dirname(dir)) {
        const files = filesOf(dir);
        const isInOutput = outputDir !== undefined && `${dir}/`.startsWith(`${outputDir}/`);
        if (files && (isInOutput || files.has(path.slice(dir.length + 1)))) return true;
      }
      return false;
    },
  };
}

function listedFiles(dir: string): ReadonlySet<string> {
  return new Set([...(existsSync(join(dir, 'journal.jsonl')) ? alwaysInPackages : []), ...manifestPaths(dir)]);
}

function manifestPaths(dir: string): string[] {
  const read = readBounded(join(dir, 'artifact-manifest.json'), maxHashedBytes);
  if (!('bytes' in read)) return [];
  try {
    const { artifacts } = JSON.parse(read.bytes.toString()) as { artifacts: { path: string }[] };
    return [...alwaysInPackages, ...artifacts.map(({ path }) => path)];
  } catch {
    // SyntaxError, TypeError: it is no manifest of ours.
    return [];
  }
}

/** Undefined for a directory outside `top`, and for `top` itself. */
function relativeBelow(top: string, dir: string): string | undefined {
  const path = relative(top, existsSync(dir) ? realpathSync(dir) : dir)
    .split(sep)
    .join('/');
  return path === '' || path.startsWith('..') || path.includes(':') ? undefined : path;
}
