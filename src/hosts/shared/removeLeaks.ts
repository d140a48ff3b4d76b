// Removes the files of a run that contain a secret.
import { join } from 'node:path';
import { scanFiles } from '../../secrets/scanPackage.js';
import type { Vault } from '../../secrets/vault.js';
import { removeFile } from '../../system/files/files.js';

/** Returns the removed paths. The journal stays: each of its lines is masked when it is written. */
export function removeLeaks(dir: string, vault: Vault): string[] {
  const leaks = new Set(scanFiles(dir, vault).map(({ path }) => path));
  leaks.delete('journal.jsonl');
  for (const path of leaks) removeFile(join(dir, path));
  return [...leaks];
}
