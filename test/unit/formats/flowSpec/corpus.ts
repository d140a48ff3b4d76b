// Reads the shared flow-spec cases. The tests that need them are skipped when the shared corpus does not exist.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../../../../../shared/corpus/flow-spec');

const hasCorpus = existsSync(folder);

/** Returns undefined when the corpus does not exist. */
export function shared<T>(name: string): T | undefined {
  return hasCorpus ? (JSON.parse(readFileSync(resolve(folder, name), 'utf8')) as T) : undefined;
}
