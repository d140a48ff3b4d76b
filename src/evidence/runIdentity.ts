// The identity of a run, the same for every host: the recipe id, the run id, and the name and version of this tool.

import { randomUUID } from 'node:crypto';
import { relative, sep } from 'node:path';

/** Returns the id of a recipe: its path in the project, without the file ending. */
export function recipeId(file: string, projectRoot: string): string {
  return (
    relativePath(projectRoot, file)
      .replaceAll('\\', '/')
      // The package of a recipe outside the project must still be inside the output directory.
      .replaceAll('../', '_up/')
      .replace(/\.((recipe|runtime|flowspec)\.json|template\.(json|md))$/, '')
  );
}

// Nearly all paths are absolute and normalized. `relative` would normalize thousands of paths again, which takes noticeable time.
function relativePath(root: string, file: string): string {
  const isPlain = file.startsWith(root + sep) && !file.includes(`${sep}.`) && !file.includes(sep + sep);
  return isPlain ? file.slice(root.length + 1) : relative(root, file);
}

export function newRunId(): string {
  return randomUUID();
}

/** The build replaces this identifier with the version of the package. */
declare const RECIPEWRIGHT_VERSION: string | undefined;

/** The name and version of recipewright, as the journal and the summary have them. */
export const toolInfo = {
  name: 'recipewright',
  version: typeof RECIPEWRIGHT_VERSION === 'string' ? RECIPEWRIGHT_VERSION : 'source',
};
