// Where packages lie: the last attempt under the recipe's id, earlier ones in .attempts.
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

/** Writes the package of an attempt again, once more is known. */
export function replacePackage(slot: PackageSlot, parts: PackageParts): WrittenPackage & { dir: string } {
  const { dir } = dirsOf(slot);
  claimDirectory(dir);
  return { dir, ...writePackage(dir, parts) };
}

/** Puts a package among the earlier attempts, for a recipe that the next attempt of its test did not run. */
export function archiveAttempt(slot: PackageSlot): void {
  const { dir, attempts } = dirsOf(slot);
  moveDirectory(dir, join(attempts, String(slot.attempt)));
}

/** Removes what a former run left there. */
export function clearPackage(slot: PackageSlot): void {
  const { dir, attempts } = dirsOf(slot);
  removeIfReplaceable(dir);
  removeReplaceableIn(attempts);
}

/** Removes packages of earlier runs whose recipe no longer exists, and repetitions that this run did not make. */
export function clearStalePackages(outputDir: string, names: readonly string[]): void {
  const isListed = (dir: string): boolean => names.some((name) => `${name}/`.startsWith(`${dir}/`));
  for (const dir of listReplaceableBelow(outputDir)) {
    // A recipe that still exists may belong to another config that keeps its packages here.
    if (isListed(dir) || (!isListed(dir.replace(/--repeat\d+$/, '')) && hasRecipeFile(outputDir, dir))) continue;
    removeIfReplaceable(join(outputDir, dir));
    removeReplaceableIn(join(outputDir, '.attempts', dir));
  }
}

const documentEndings = ['', '.json', '.recipe.json', '.runtime.json', '.flowspec.json', '.template.json', '.template.md'];

/** Whether the recipe of a package is a file of the project around the output directory, or of the one that runs. */
function hasRecipeFile(outputDir: string, packageDir: string): boolean {
  const id = packageDir.replaceAll('_up/', '../').replace(/--[^/]*$/, '');
  // The package of a flow's example lies below the name of its catalog.
  const parts = id.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const isFile = (root: string): boolean =>
    paths.some((path) => documentEndings.some((ending) => readPathKind(join(root, path + ending)) === 'file'));
  return [process.cwd(), ...listAncestors(outputDir)].some(isFile);
}

function listAncestors(dir: string): string[] {
  const above = dirname(dir);
  return above === dir ? [] : [above, ...listAncestors(above)];
}

/** What the package of a slot is called below the output directory. */
export function packageName({ id, project, repeat }: PackageSlot): string {
  return `${id}${project ? `--${project.replace(/[^\w.-]/g, '_')}` : ''}${repeat > 0 ? `--repeat${repeat}` : ''}`;
}

function dirsOf(slot: PackageSlot): { dir: string; attempts: string } {
  const name = packageName(slot);
  const dir = resolveInside(slot.outputDir, name);
  if (dir === undefined) throw new Error(`${name} leads out of ${slot.outputDir}.`);
  return { dir, attempts: join(slot.outputDir, '.attempts', name) };
}
