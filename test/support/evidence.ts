// Checks of a package that share no code with the product: a reviewer's own arithmetic.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Package } from './packages.js';

/** Every line names the hash of the one before it, and none is missing. */
export function expectChain({ journal, lines }: Package): void {
  expect(lines.map((line) => line.seq)).toEqual(lines.map((_, index) => index));
  expect(lines.map((line) => line.prev)).toEqual(['', ...journal.slice(0, -1).map(hash)]);
}

/** The last line closes the run, and no other one does. */
export function expectClosed({ lines }: Package): void {
  const closing = lines.filter((line) => line.t === 'end' && line.path === '');
  expect(closing).toEqual([lines.at(-1)]);
}

/** What the manifest lists is there, byte for byte, and it lists everything that is there. */
export function expectManifest({ dir, manifest, files, summary }: Package): void {
  const listed = manifest.artifacts.map(({ path, sha256, size }) => ({ path, sha256, size }));
  const found = manifest.artifacts.map(({ path }) => {
    const bytes = readFileSync(join(dir, path));
    return { path, sha256: hash(bytes), size: bytes.length };
  });
  expect(listed).toEqual(found);
  expect([...listed.map(({ path }) => path), 'artifact-manifest.json'].sort()).toEqual(files);
  expect(manifest.runStatus).toBe(summary.status);
}

/** A run that came to its own end, whatever its verdict. */
export function expectWhole(found: Package): void {
  expectChain(found);
  expectClosed(found);
  expectManifest(found);
  expect(found.files).toEqual(expect.arrayContaining(['journal.jsonl', 'recipe.json', 'summary.json', 'trace.json']));
  const { summary, trace } = found;
  const passed = trace.filter((entry) => entry.ok).length;
  expect(summary).toMatchObject({ total: trace.length, passed, failed: trace.length - passed });
}

export function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
