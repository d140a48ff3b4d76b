// The list of a manifest as far as it can be read; its shape is checked elsewhere.
import { join } from 'node:path';
import { safePath } from '../evidence/models/fields.js';
import { readBounded } from '../system/files/readBounded.js';

export type Listed = { path: string; type?: string; category?: string; sha256?: string; size?: number };

/** Undefined when there is no manifest that could be read. */
export function listedIn(dir: string): Listed[] | undefined {
  const { artifacts } = (jsonAt(join(dir, 'artifact-manifest.json')) ?? {}) as { artifacts?: unknown };
  if (!Array.isArray(artifacts)) return undefined;
  return artifacts.filter((entry): entry is Listed => typeof entry?.path === 'string' && safePath.test(entry.path));
}

export function jsonAt(file: string): unknown {
  const read = readBounded(file, 256_000_000);
  if (!('bytes' in read)) return undefined;
  try {
    return JSON.parse(read.bytes.toString()) as unknown;
  } catch {
    // SyntaxError: reported by the check of the document.
    return undefined;
  }
}
