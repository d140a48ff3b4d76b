// The work tree when a run of a test runner began: read once in its main process, and known to all of its workers.
import { resolve } from 'node:path';
import { findGitTop } from '../system/git/gitRepository.js';
import { type GitTree, listChangesSince, type OwnFiles, readGitTree } from '../system/git/gitTree.js';

/** Workers inherit it. */
const variable = 'RECIPEWRIGHT_TREE';

/**
 * `pid`: the process that read it. An inherited variable of another run names another process than our parent.
 * `isUsed`: a run had it. `isStale`: of a run that is over, or never read. `isWatched`: a reporter looks again when the run ends.
 */
type RememberedTree = { pid: number; from: string; own: OwnFiles; tree?: GitTree | undefined } & Marks;
type Marks = { isUsed: boolean; isStale: boolean; isWatched: boolean };

/** In the main process, before any worker starts. */
export function rememberTree(from: string, own: OwnFiles): void {
  writeRememberedTree({ from, own, tree: readGitTree(from, own), isUsed: false, isStale: false, isWatched: false });
}

/** For a process that runs tests later, and many times: a reporter looks when a run begins, else each worker does. */
export function deferTreeRead(from: string, own: OwnFiles): void {
  writeRememberedTree({ from, own, isUsed: false, isStale: true, isWatched: false });
}

/** What the reporters of the run write, once they are known; they may be files or directories. */
export function ignoreReporterFiles(paths: readonly string[]): void {
  const kept = readRememberedTree();
  if (!kept || paths.length === 0) return;
  const { hostDirs = [] } = kept.own;
  const own = { ...kept.own, hostDirs: [...new Set([...hostDirs, ...paths.map((path) => resolve(kept.from, path))])] };
  const tree = kept.tree?.state?.isDirty ? readGitTree(kept.from, own) : kept.tree;
  writeRememberedTree({ ...kept, own, tree });
}

/** By a reporter that looks again when the run ends. A process that runs tests again and again begins each run with a new look. */
export function rereadTree(): void {
  const kept = readRememberedTree();
  if (!kept) return;
  const tree = kept.isUsed || kept.isStale ? readGitTree(kept.from, kept.own) : kept.tree;
  writeRememberedTree({ ...kept, tree, isUsed: true, isStale: false, isWatched: true });
}

/** The tree of a run that has ended, and the tracked files that changed while it went on. What comes next is another run. */
export function finishTreeWatch(): { tree: GitTree; changed: string[] } | undefined {
  const kept = readRememberedTree();
  if (!kept?.tree || kept.isStale) return undefined;
  writeRememberedTree({ ...kept, isStale: true, isWatched: false });
  return { tree: kept.tree, changed: listChangesSince(kept.tree, kept.own) };
}

/** For a recipe of a test runner; what nobody remembered is read now, once for this process. */
export function readTreeAtStart(projectRoot: string): GitTree | undefined {
  const top = findGitTop(projectRoot);
  const kept = readRememberedTree();
  if (kept && !kept.isStale && kept.tree?.top === top) return kept.tree;
  const own = kept?.own ?? ownFilesOf(projectRoot);
  const tree = readGitTree(projectRoot, own);
  if (!kept || kept.isStale)
    writeRememberedTree({ from: projectRoot, own, tree, isUsed: true, isStale: false, isWatched: false });
  return tree;
}

/** The tracked files that changed while a recipe ran, to be asked when it ends; undefined where a reporter looks for all of them. */
export function createTreeChangeLister(projectRoot: string, tree: GitTree | undefined): (() => string[]) | undefined {
  const kept = readRememberedTree();
  if (!tree || (kept?.isWatched && kept.tree?.top === tree.top)) return undefined;
  return () => listChangesSince(tree, kept?.own ?? ownFilesOf(projectRoot));
}

/** What a run of recipes writes into its project. `outputDir` and `hostDirs` are relative to `root`. */
export function ownFilesOf(root: string, outputDir = 'recipe-results', hostDirs: readonly string[] = []): OwnFiles {
  const other = process.env.RECIPEWRIGHT_OUTPUT_DIR;
  return {
    outputDirs: [resolve(root, outputDir), ...(other ? [other] : [])],
    hostDirs: [...hostDirs, '.recipewright'].map((dir) => resolve(root, dir)),
  };
}

function writeRememberedTree(kept: Omit<RememberedTree, 'pid'>): void {
  process.env[variable] = JSON.stringify({ ...kept, pid: process.pid });
}

function readRememberedTree(): RememberedTree | undefined {
  const text = process.env[variable];
  const kept = text === undefined ? undefined : (JSON.parse(text) as RememberedTree);
  return kept && [process.pid, process.ppid].includes(kept.pid) ? kept : undefined;
}
