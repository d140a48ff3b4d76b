// The identity of a run, the same for every host: the recipe id, the run id, and the name and version of this tool.

import { randomUUID } from 'node:crypto';
import { relative, sep } from 'node:path';

/** The id of a recipe: its path in the project without the file ending. */
export function recipeId(file: string, projectRoot: string): string {
  return (
    relativePath(projectRoot, file)
      .replaceAll('\\', '/')
      // The package of a recipe above the project is still inside the output directory.
      .replaceAll('../', '_up/')
      .replace(/\.((recipe|runtime|flowspec)\.json|template\.(json|md))$/, '')
  );
}

// Nearly all paths are absolute and normalized. Normalizing thousands of them again takes noticeable time.
function relativePath(root: string, file: string): string {
  const isPlain = file.startsWith(root + sep) && !file.includes(`${sep}.`) && !file.includes(sep + sep);
  return isPlain ? file.slice(root.length + 1) : relative(root, file);
}

export function newRunId(): string {
  return randomUUID();
}

/** The build replaces this with the version of the package. */
declare const RECIPEWRIGHT_VERSION: string | undefined;

export const tool = { name: 'recipewright', version: typeof RECIPEWRIGHT_VERSION === 'string' ? RECIPEWRIGHT_VERSION : 'source' };
