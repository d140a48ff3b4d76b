// What a run is called, the same for every host.
import { randomUUID } from 'node:crypto';
import { relative } from 'node:path';

/** The recipe's name everywhere: its path in the project without the ending. */
export function recipeId(file: string, projectRoot: string): string {
  return (
    relative(projectRoot, file)
      .replaceAll('\\', '/')
      // A recipe above the project still has its package inside of the results.
      .replaceAll('../', '_up/')
      .replace(/\.((recipe|runtime|flowspec)\.json|template\.(json|md))$/, '')
  );
}

export function newRunId(): string {
  return randomUUID();
}
