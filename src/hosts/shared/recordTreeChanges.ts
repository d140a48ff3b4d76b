// The work tree when a run has ended: where tracked files changed while it went on, its packages are made to say so.
import { join } from 'node:path';
import type { Summary } from '../../evidence/writePackage.js';
import { endTree } from '../../run/treeAtStart.js';
import { readPathKind } from '../../system/files/files.js';
import { addTreeChanges } from '../../verify/amendPackage.js';
import type { ReviewWhenLoaded } from './reviewWhenLoaded.js';

/** `earlier`: how often it was tried before. */
type PackageOfRun = { dir: string; summary: Summary; earlier: number };

type PackagesOfRun = {
  outputDir: string;
  /** By the names of the packages. */
  written: Iterable<readonly [string, PackageOfRun]>;
  review: ReviewWhenLoaded;
  /** Does what may fail for the package of a recipe. */
  runGuarded(id: string, work: () => void): void;
};

/** Once, when the run has ended. Comes back with what people should know of it. */
export function recordTreeChanges({ outputDir, written, review, runGuarded }: PackagesOfRun): string[] {
  const { tree, changed = [] } = endTree() ?? {};
  if (changed.length === 0) return [];
  const isOfTree = ({ summary }: PackageOfRun): boolean =>
    summary.tree_digest === tree?.state?.digest && summary.git_ref === tree?.commit;
  const packages = [...written].filter(([, one]) => isOfTree(one));
  if (packages.length === 0) return [];
  review.use((reviews) => {
    for (const [name, one] of packages)
      runGuarded(one.summary.recipe.id, () => {
        const tries = Array.from({ length: one.earlier }, (_, index) => join(outputDir, '.attempts', name, String(index)));
        for (const dir of tries) if (readPathKind(dir) === 'directory') addTreeChanges(dir, changed, reviews.open(name));
        one.summary = addTreeChanges(one.dir, changed, reviews.open(name));
      });
  });
  return [
    `Tracked files changed while the run went on: ${changed.join(', ')}. The packages say so, and "recipewright verify --git-ref" refuses them.`,
  ];
}
