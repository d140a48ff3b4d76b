// Where packages lie: the last attempt under the recipe's id, earlier ones in .attempts.
import { join } from 'node:path';
import { claimDirectory, moveDirectory, removeClaimed } from '../system/files.js';
import { type Package, writePackage } from './package.js';

export type Slot = { outputDir: string; id: string; project?: string; repeat: number; attempt: number };

/** Writes the package of one attempt and returns its directory. */
export function placePackage(slot: Slot, built: Package): string {
  const name = `${slot.id}${slot.project ? `--${slot.project.replace(/[^\w.-]/g, '_')}` : ''}${slot.repeat > 0 ? `--repeat${slot.repeat}` : ''}`;
  const dir = join(slot.outputDir, name);
  const attempts = join(slot.outputDir, '.attempts', name);
  if (slot.attempt === 0) removeClaimed(attempts);
  else moveDirectory(dir, join(attempts, String(slot.attempt - 1)));
  claimDirectory(dir);
  writePackage(dir, built);
  return dir;
}
