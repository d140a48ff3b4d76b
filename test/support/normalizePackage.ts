// A package without what two runs of the same recipe may differ in: when things happened, and the hashes and sizes that follow from it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from './evidence.js';
import type { Package } from './packages.js';

// A run has an id of its own, and the digest of a package is one of its times.
const times = new Set(['at', 'startedAt', 'endedAt', 'durationMs', 'ms', 'run', 'package']);
const hashesOfTimes = new Set([...times, 'prev']);

/** Everything else, by file: parsed where it holds times, as a digest of its bytes where it does not. */
export function timeless({ dir, files, summary, trace, manifest, lines }: Package): Record<string, unknown> {
  const parsed: Record<string, unknown> = {
    'summary.json': without(summary, times),
    'trace.json': without(trace, times),
    'journal.jsonl': without(lines, hashesOfTimes),
    // Full of times; it follows from recipe and journal, which "verify" holds it against.
    'review.html': 'a page',
    'artifact-manifest.json': { ...manifest, artifacts: manifest.artifacts.map(withoutHashesOfTimes) },
  };
  return Object.fromEntries(files.map((file) => [file, parsed[file] ?? hash(readFileSync(join(dir, file)))]));
}

/** Packages by id, in a stable order. */
export function timelessAll(packages: ReadonlyMap<string, Package>): Record<string, unknown> {
  const ids = [...packages.keys()].sort();
  return Object.fromEntries(ids.map((id) => [id, timeless(packages.get(id) as Package)]));
}

// Only these hold times; an artifact of the recipe must be the same to the last byte.
const timed = new Set(['summary.json', 'trace.json', 'journal.jsonl', 'review.html']);

function withoutHashesOfTimes(artifact: Package['manifest']['artifacts'][number]): object {
  if (!timed.has(artifact.path)) return artifact;
  const { sha256: _, size: __, ...rest } = artifact;
  return rest;
}

// What an action put out, asserted or was given is the recipe's own, whatever its keys are called.
const opaque = new Set(['output', 'asserts', 'inputs']);

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !names.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, opaque.has(key) ? item : without(item, names)]));
}
