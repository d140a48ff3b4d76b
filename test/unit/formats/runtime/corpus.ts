// Reads documents of the shared corpus, if it exists next to the project.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../../../shared/corpus/runtime-recipe/', import.meta.url));

export const hasCorpus = existsSync(folder);

export function corpusText(name: string): string {
  return readFileSync(`${folder}${name}`, 'utf8');
}
