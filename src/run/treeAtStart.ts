// The work tree when a run of a test runner began: read once in its main process, and known to all of its workers.
import { join } from 'node:path';
import { gitTop } from '../system/gitRef.js';
import { type GitTree, type OwnFiles, readGitTree } from '../system/gitTree.js';

/** Workers inherit it. */
const variable = 'RECIPEWRIGHT_TREE';

/** `pid`: the process that read it. An inherited variable of another run names another process than our parent. */
type Kept = { pid: number; from: string; own: OwnFiles; tree?: GitTree | undefined; isUsed: boolean };

/** In the main process, before any worker starts. */
export function rememberTree(from: string, own: OwnFiles): void {
  keep({ from, own, tree: readGitTree(from, own), isUsed: false });
}

/** Each worker looks for itself. */
export function forgetTree(): void {
  delete process.env[variable];
}

/** A process that runs tests again and again, in watch or UI mode, begins each run with a new look. */
export function renewTree(): void {
  const kept = read();
  if (!kept) return;
  keep({ ...kept, ...(kept.isUsed ? { tree: readGitTree(kept.from, kept.own) } : {}), isUsed: true });
}

/** For a recipe of a test runner; what nobody remembered is read now, once for this process. */
export function treeAtStart(projectRoot: string): GitTree | undefined {
  const top = gitTop(projectRoot);
  const kept = read();
  if (kept && kept.tree?.top === top) return kept.tree;
  const own = kept?.own ?? ownFilesOf(projectRoot);
  const tree = readGitTree(projectRoot, own);
  if (!kept) keep({ from: projectRoot, own, tree, isUsed: true });
  return tree;
}

/** What a run of recipes writes into its project. `outputDir` and `hostDirs` are relative to `root`. */
export function ownFilesOf(root: string, outputDir = 'recipe-results', hostDirs: readonly string[] = []): OwnFiles {
  const other = process.env.RECIPEWRIGHT_OUTPUT_DIR;
  return {
    outputDirs: [join(root, outputDir), ...(other ? [other] : [])],
    hostDirs: [...hostDirs, '.recipewright'].map((dir) => join(root, dir)),
  };
}

function keep(kept: Omit<Kept, 'pid'>): void {
  process.env[variable] = JSON.stringify({ ...kept, pid: process.pid });
}

function read(): Kept | undefined {
  const text = process.env[variable];
  const kept = text === undefined ? undefined : (JSON.parse(text) as Kept);
  return kept && [process.pid, process.ppid].includes(kept.pid) ? kept : undefined;
}
