// Which project a file belongs to: catalogs are read from there, and from nowhere outside of it.
import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';

export const configNames = ['mjs', 'ts', 'js', 'mts', 'cjs', 'cts'].map((end) => `recipewright.config.${end}`);
const marks = ['package.json', '.git', ...configNames];

/** The nearest directory above the file that looks like a project, else `cwd` when the file is inside, else its own directory. */
export function projectRootOf(file: string, cwd: string = process.cwd()): string {
  const own = dirname(resolve(file));
  for (let dir = own; ; dir = dirname(dir)) {
    if (marks.some((mark) => existsSync(resolve(dir, mark)))) return dir;
    if (dir === dirname(dir)) break;
  }
  const path = relative(cwd, own);
  return path === '..' || path.startsWith(`..${sep}`) || resolve(path) === path ? own : resolve(cwd);
}
