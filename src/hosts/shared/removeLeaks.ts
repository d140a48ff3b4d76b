// The last look at what a run kept: nothing that holds a secret stays.
import { join } from 'node:path';
import { scanFiles } from '../../secrets/scanPackage.js';
import type { Vault } from '../../secrets/vault.js';
import { removeFile } from '../../system/files/files.js';

/** The journal is masked line by line at its door, and cannot be taken out. */
export function removeLeaks(dir: string, vault: Vault): string[] {
  const found = scanFiles(dir, vault).map(({ path }) => path);
  const removed = [...new Set(found)].filter((path) => path !== 'journal.jsonl');
  for (const path of removed) removeFile(join(dir, path));
  return removed;
}
