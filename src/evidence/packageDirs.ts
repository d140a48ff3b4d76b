// The directories of packages. The last attempt is in the directory of the recipe's id, earlier attempts are in `.attempts`.

import { dirname, join } from 'node:path';
import {
  claimDirectory,
  listReplaceableBelow,
  moveDirectory,
  readPathKind,
  removeIfReplaceable,
  removeReplaceableIn,
  resolveInside,
} from '../system/files/files.js';
import { type PackageParts, type WrittenPackage, writePackage } from './writePackage.js';

export type PackageSlot = { outputDir: string; id: string; project?: string; repeat: number; attempt: number };

/** Writes the package of one attempt. */
export function placePackage(slot: PackageSlot, parts: PackageParts): WrittenPackage & { dir: string } {
  const { dir, attempts } = dirsOf(slot);
  if (slot.attempt === 0) removeReplaceableIn(attempts);
  else moveDirectory(dir, join(attempts, String(slot.attempt - 1)));
  claimDirectory(dir);
  return { dir, ...writePackage(dir, parts) };
}

/** Writes the package of an attempt again, with facts that were unknown the first time. */
export function replacePackage(slot: PackageSlot, parts: PackageParts): WrittenPackage & { dir: string } {
  const { dir } = dirsOf(slot);
  claimDirectory(dir);
  return { dir, ...writePackage(dir, parts) };
}

/** Moves a package to the earlier attempts. Needed when the next attempt of a test does not run this recipe. */
export function archiveAttempt(slot: PackageSlot): void {
  const { dir, attempts } = dirsOf(slot);
  moveDirectory(dir, join(attempts, String(slot.attempt)));
}

/** Removes the package of an earlier run, with its earlier attempts. */
export function clearPackage(slot: PackageSlot): void {
  const { dir, attempts } = dirsOf(slot);
  removeIfReplaceable(dir);
  removeReplaceableIn(attempts);
}

/** Removes packages of recipes that no longer exist, and packages of repetitions (`--repeat2`) that this run did not have. */
export function clearStalePackages(outputDir: string, names: readonly string[]): void {
  const isListed = (dir: string): boolean => names.some((name) => `${name}/`.startsWith(`${dir}/`));
  for (const dir of listReplaceableBelow(outputDir)) {
    // An existing recipe may belong to another config with the same output directory.
    if (isListed(dir) || (!isListed(dir.replace(/--repeat\d+$/, '')) && hasRecipeFile(outputDir, dir))) continue;
    removeIfReplaceable(join(outputDir, dir));
    removeReplaceableIn(join(outputDir, '.attempts', dir));
  }
}

const documentEndings = ['', '.json', '.recipe.json', '.runtime.json', '.flowspec.json', '.template.json', '.template.md'];

/** Returns whether the recipe of a package is a file below the working directory, or below a parent of the output directory. */
function hasRecipeFile(outputDir: string, packageDir: string): boolean {
  const id = packageDir.replaceAll('_up/', '../').replace(/--[^/]*$/, '');
  // The package of a flow's example is in a directory with the name of the catalog, so each leading part may be the file.
  const parts = id.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const isFile = (root: string): boolean =>
    paths.some((path) => documentEndings.some((ending) => readPathKind(join(root, path + ending)) === 'file'));
  return [process.cwd(), ...listAncestors(outputDir)].some(isFile);
}

function listAncestors(dir: string): string[] {
  const parent = dirname(dir);
  return parent === dir ? [] : [parent, ...listAncestors(parent)];
}

/** Returns the path of a package relative to the output directory. */
export function packageName({ id, project, repeat }: PackageSlot): string {
  const projectSuffix = project ? `--${project.replace(/[^\w.-]/g, '_')}` : '';
  const repeatSuffix = repeat > 0 ? `--repeat${repeat}` : '';
  return `${id}${projectSuffix}${repeatSuffix}`;
}

function dirsOf(slot: PackageSlot): { dir: string; attempts: string } {
  const name = packageName(slot);
  const dir = resolveInside(slot.outputDir, name);
  if (dir === undefined) throw new Error(`The package ${name} is outside the output directory ${slot.outputDir}.`);
  return { dir, attempts: join(slot.outputDir, '.attempts', name) };
}
