// Which version of a package a project has, as Node finds it from there.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Undefined when the project does not have it; without a version when it does not tell. */
export function installedPackage(projectRoot: string, name: string): { version?: string } | undefined {
  const { resolve } = createRequire(join(projectRoot, 'package.json'));
  const manifest = resolved(() => resolve(`${name}/package.json`));
  if (manifest === undefined) return resolved(() => resolve(name)) === undefined ? undefined : {};
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
  return typeof version === 'string' ? { version } : {};
}

function resolved(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    // MODULE_NOT_FOUND, or ERR_PACKAGE_PATH_NOT_EXPORTED for a package that keeps its manifest to itself.
    return undefined;
  }
}
