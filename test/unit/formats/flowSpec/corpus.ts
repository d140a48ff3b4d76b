// The shared cases, where they are: the project is tested without them, too.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../../../../../shared/corpus/flow-spec');

export const isThere = existsSync(folder);

/** Undefined where the corpus is not. */
export function shared<T>(name: string): T | undefined {
  return isThere ? (JSON.parse(readFileSync(resolve(folder, name), 'utf8')) as T) : undefined;
}
