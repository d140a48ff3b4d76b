// The state of the Git work tree at the start of a test run. The main process of the test runner reads it once, and the workers inherit it.
import { resolve } from 'node:path';
import { findGitTop } from '../system/git/gitRepository.js';
import { type GitTree, listChangesSince, type OwnFiles, readGitTree } from '../system/git/gitTree.js';

/** The environment variable that passes the tree to the workers. */
const variable = 'RECIPEWRIGHT_TREE';

type RememberedTree = {
  /** The process that read the tree. A variable from another test run has a pid that is neither this process nor its parent. */
  pid: number;
  from: string;
  own: OwnFiles;
  tree?: GitTree | undefined;
  /** A test run has begun with this tree. */
  isUsed: boolean;
  /** The tree belongs to a finished test run, or has not been read yet. */
  isStale: boolean;
  /** A reporter reads the changes when the test run ends. */
  isWatched: boolean;
};

/** Reads the tree. Call it in the main process, before the first worker starts. */
export function rememberTree(from: string, own: OwnFiles): void {
  writeRememberedTree({ from, own, tree: readGitTree(from, own), isUsed: false, isStale: false, isWatched: false });
}

/**
 * Remembers only where to read the tree, for a process that runs tests later and several times. The reporter reads the tree when a test
 * run begins. Without the reporter, each worker reads it.
 */
export function deferTreeRead(from: string, own: OwnFiles): void {
  writeRememberedTree({ from, own, isUsed: false, isStale: true, isWatched: false });
}

/** Excludes the files and directories that reporters write. Call it when the reporters are known. */
export function ignoreReporterFiles(paths: readonly string[]): void {
  const remembered = readRememberedTree();
  if (!remembered || paths.length === 0) return;
  const { from, own: ownBefore, tree: treeBefore } = remembered;
  const { hostDirs = [] } = ownBefore;
  const own = { ...ownBefore, hostDirs: [...new Set([...hostDirs, ...paths.map((path) => resolve(from, path))])] };
  const tree = treeBefore?.state?.isDirty ? readGitTree(from, own) : treeBefore;
  writeRememberedTree({ ...remembered, own, tree });
}

/**
 * Called by a reporter when a test run begins. The first test run of a process uses the remembered tree, and each later one reads the tree
 * again. The reporter must call `finishTreeWatch` when the test run ends.
 */
export function rereadTree(): void {
  const remembered = readRememberedTree();
  if (!remembered) return;
  const { from, own, isUsed, isStale } = remembered;
  const tree = isUsed || isStale ? readGitTree(from, own) : remembered.tree;
  writeRememberedTree({ ...remembered, tree, isUsed: true, isStale: false, isWatched: true });
}

/** Returns the tree at the start of the test run that ends now, and the tracked files that have changed since. */
export function finishTreeWatch(): { tree: GitTree; changed: string[] } | undefined {
  const remembered = readRememberedTree();
  if (!remembered?.tree || remembered.isStale) return undefined;
  const { tree, own } = remembered;
  writeRememberedTree({ ...remembered, isStale: true, isWatched: false });
  return { tree, changed: listChangesSince(tree, own) };
}

/** Returns the tree for a recipe that runs in a test runner. Without a remembered tree, reads the tree once for this process. */
export function readTreeAtStart(projectRoot: string): GitTree | undefined {
  const top = findGitTop(projectRoot);
  const remembered = readRememberedTree();
  if (remembered && !remembered.isStale && remembered.tree?.top === top) return remembered.tree;
  const own = remembered?.own ?? ownFilesOf(projectRoot);
  const tree = readGitTree(projectRoot, own);
  if (!remembered || remembered.isStale)
    writeRememberedTree({ from: projectRoot, own, tree, isUsed: true, isStale: false, isWatched: false });
  return tree;
}

/**
 * Returns a function that lists the tracked files that have changed since `tree` was read. Returns undefined when a reporter lists the
 * changes of all recipes.
 */
export function createTreeChangeLister(projectRoot: string, tree: GitTree | undefined): (() => string[]) | undefined {
  const remembered = readRememberedTree();
  if (!tree || (remembered?.isWatched && remembered.tree?.top === tree.top)) return undefined;
  return () => listChangesSince(tree, remembered?.own ?? ownFilesOf(projectRoot));
}

/** The files that recipewright and the test runner write into a project. `outputDir` and `hostDirs` are relative to `root`. */
export function ownFilesOf(root: string, outputDir = 'recipe-results', hostDirs: readonly string[] = []): OwnFiles {
  const envOutputDir = process.env.RECIPEWRIGHT_OUTPUT_DIR;
  return {
    outputDirs: [resolve(root, outputDir), ...(envOutputDir ? [envOutputDir] : [])],
    hostDirs: [...hostDirs, '.recipewright'].map((dir) => resolve(root, dir)),
  };
}

function writeRememberedTree(remembered: Omit<RememberedTree, 'pid'>): void {
  process.env[variable] = JSON.stringify({ ...remembered, pid: process.pid });
}

function readRememberedTree(): RememberedTree | undefined {
  const text = process.env[variable];
  const remembered = text === undefined ? undefined : (JSON.parse(text) as RememberedTree);
  return remembered && [process.pid, process.ppid].includes(remembered.pid) ? remembered : undefined;
}
