// What a run is called, the same for every host.
import { randomUUID } from 'node:crypto';
import { relative, sep } from 'node:path';

/** The recipe's name everywhere: its path in the project without the ending. */
export function recipeId(file: string, projectRoot: string): string {
  return (
    below(projectRoot, file)
      .replaceAll('\\', '/')
      // A recipe above the project still has its package inside of the results.
      .replaceAll('../', '_up/')
      .replace(/\.((recipe|runtime|flowspec)\.json|template\.(json|md))$/, '')
  );
}

// Both are absolute and without dots, nearly always: to work that out again for each of thousands takes its time.
function below(root: string, file: string): string {
  const isPlain = file.startsWith(root + sep) && !file.includes(`${sep}.`) && !file.includes(sep + sep);
  return isPlain ? file.slice(root.length + 1) : relative(root, file);
}

export function newRunId(): string {
  return randomUUID();
}

// Who ran the recipe; the build puts the package's version here.
declare const RECIPEWRIGHT_VERSION: string | undefined;

export const tool = { name: 'recipewright', version: typeof RECIPEWRIGHT_VERSION === 'string' ? RECIPEWRIGHT_VERSION : 'source' };
