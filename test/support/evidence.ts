// Checks a package without code of recipewright, like an independent reviewer.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Package } from './packages.js';

/** Expects that every journal line has the hash of the previous line, and that no line is missing. */
export function expectChain({ journal, lines }: Package): void {
  expect(lines.map((line) => line.seq)).toEqual(lines.map((_, index) => index));
  expect(lines.map((line) => line.prev)).toEqual(['', ...journal.slice(0, -1).map(hash)]);
}

/** Expects that only the last journal line ends the run. */
export function expectClosed({ lines }: Package): void {
  const closing = lines.filter((line) => line.t === 'end' && line.path === '');
  expect(closing).toEqual([lines.at(-1)]);
}

/** Expects that the manifest lists exactly the files of the package, with their sizes and hashes. */
export function expectManifest({ dir, manifest, files, summary }: Package): void {
  const listed = manifest.artifacts.map(({ path, sha256, size }) => ({ path, sha256, size }));
  const actual = manifest.artifacts.map(({ path }) => {
    const bytes = readFileSync(join(dir, path));
    return { path, sha256: hash(bytes), size: bytes.length };
  });
  expect(listed).toEqual(actual);
  expect([...listed.map(({ path }) => path), 'artifact-manifest.json'].sort()).toEqual(files);
  expect(manifest.runStatus).toBe(summary.status);
}

/** Expects the complete package of a run that ended normally, with any verdict. */
export function expectWhole(evidence: Package): void {
  expectChain(evidence);
  expectClosed(evidence);
  expectManifest(evidence);
  expect(evidence.files).toEqual(expect.arrayContaining(['journal.jsonl', 'recipe.json', 'summary.json', 'trace.json']));
  const { summary, trace } = evidence;
  const passed = trace.filter((entry) => entry.ok).length;
  expect(summary).toMatchObject({ total: trace.length, passed, failed: trace.length - passed });
}

export function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
