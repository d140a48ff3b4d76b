// Where packages lie: the last attempt under the recipe's id, earlier ones in .attempts.
import { join } from 'node:path';
import { claimDirectory, insideOf, moveDirectory, removeClaimed, removeOwn } from '../system/files.js';
import { type Package, writePackage } from './package.js';

export type Slot = { outputDir: string; id: string; project?: string; repeat: number; attempt: number };

/** Writes the package of one attempt and returns its directory. */
export function placePackage(slot: Slot, built: Package): string {
  const { dir, attempts } = placesOf(slot);
  if (slot.attempt === 0) removeClaimed(attempts);
  else moveDirectory(dir, join(attempts, String(slot.attempt - 1)));
  claimDirectory(dir);
  writePackage(dir, built);
  return dir;
}

/** Removes what a former run left there. */
export function clearPackage(slot: Slot): void {
  const { dir, attempts } = placesOf(slot);
  removeOwn(dir);
  removeClaimed(attempts);
}

function placesOf(slot: Slot): { dir: string; attempts: string } {
  const name = `${slot.id}${slot.project ? `--${slot.project.replace(/[^\w.-]/g, '_')}` : ''}${slot.repeat > 0 ? `--repeat${slot.repeat}` : ''}`;
  const dir = insideOf(slot.outputDir, name);
  if (dir === undefined) throw new Error(`${name} leads out of ${slot.outputDir}.`);
  return { dir, attempts: join(slot.outputDir, '.attempts', name) };
}
