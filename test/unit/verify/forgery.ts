// Makes a changed package look as if it was not changed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonIn, write } from '../evidence/packages.js';

export type Line = Record<string, unknown> & { path: string };

export function linesIn(dir: string): Line[] {
  const texts = readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd().split('\n');
  return texts.map((text) => JSON.parse(text) as Line);
}

/** Gives lines new numbers and hashes, so that their chain is intact. */
export function chainLines(lines: readonly Line[]): string[] {
  let prev = '';
  return lines.map((line, seq) => {
    const text = JSON.stringify({ v: 1, ...line, at: line.at ?? '', seq, prev });
    prev = hash(text);
    return text;
  });
}

/** Updates the digests in the manifest to those of the current files. */
export function updateDigests(dir: string): void {
  const manifest = jsonIn(dir, 'artifact-manifest.json');
  for (const artifact of manifest.artifacts) {
    const bytes = readFileSync(join(dir, artifact.path));
    Object.assign(artifact, { sha256: hash(bytes), size: bytes.length });
  }
  write(dir, 'artifact-manifest.json', manifest);
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
