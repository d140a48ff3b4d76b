// Finds the project of a file, and the packages that are installed in the project. Catalogs are only read from the project.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

export const configNames = ['mjs', 'ts', 'js', 'mts', 'cjs', 'cts'].map((end) => `recipewright.config.${end}`);
const rootMarkers = ['package.json', '.git', ...configNames];

/** Returns the nearest parent directory that looks like a project, or else `cwd` if it contains the file, or else the file's own directory. */
export function findProjectRoot(file: string, cwd: string = process.cwd()): string {
  const own = dirname(resolve(file));
  for (let dir = own; ; dir = dirname(dir)) {
    if (rootMarkers.some((mark) => existsSync(resolve(dir, mark)))) return dir;
    if (dir === dirname(dir)) break;
  }
  const path = relative(cwd, own);
  return path === '..' || path.startsWith(`..${sep}`) || resolve(path) === path ? own : resolve(cwd);
}

/** Finds a package as Node does. Returns undefined when the package is not installed, and no version when its manifest is not exported. */
export function findInstalledPackage(projectRoot: string, name: string): { version?: string } | undefined {
  const { resolve } = createRequire(join(projectRoot, 'package.json'));
  const manifest = tryResolve(() => resolve(`${name}/package.json`));
  if (manifest === undefined) return tryResolve(() => resolve(name)) === undefined ? undefined : {};
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
  return typeof version === 'string' ? { version } : {};
}

function tryResolve(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    // MODULE_NOT_FOUND, or ERR_PACKAGE_PATH_NOT_EXPORTED for a package that does not export its manifest.
    return undefined;
  }
}
