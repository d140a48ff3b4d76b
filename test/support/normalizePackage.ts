// Removes the parts of a package that differ between two runs of the same recipe: times, and the hashes and sizes that depend on
// them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from './evidence.js';
import type { Package } from './packages.js';

// The run id and the digest of a package also differ between runs.
const times = new Set(['at', 'startedAt', 'endedAt', 'durationMs', 'ms', 'run', 'package']);
const hashesOfTimes = new Set([...times, 'prev']);

/**
 * Returns the content of a package by file: parsed and without times for files that contain times, else a digest of the bytes.
 */
export function withoutTimes({ dir, files, summary, trace, manifest, lines }: Package): Record<string, unknown> {
  const parsed: Record<string, unknown> = {
    'summary.json': without(summary, times),
    'trace.json': without(trace, times),
    'journal.jsonl': without(lines, hashesOfTimes),
    // The page contains many times. "verify" compares it with the recipe and the journal.
    'review.html': 'a page',
    'artifact-manifest.json': { ...manifest, artifacts: manifest.artifacts.map(withoutHashesOfTimes) },
  };
  return Object.fromEntries(files.map((file) => [file, parsed[file] ?? hash(readFileSync(join(dir, file)))]));
}

/** Returns the packages by id, in a stable order. */
export function allWithoutTimes(packages: ReadonlyMap<string, Package>): Record<string, unknown> {
  const ids = [...packages.keys()].sort();
  return Object.fromEntries(ids.map((id) => [id, withoutTimes(packages.get(id) as Package)]));
}

// Only these files contain times. An artifact of the recipe must be equal to the last byte.
const filesWithTimes = new Set(['summary.json', 'trace.json', 'journal.jsonl', 'review.html']);

function withoutHashesOfTimes(artifact: Package['manifest']['artifacts'][number]): object {
  if (!filesWithTimes.has(artifact.path)) return artifact;
  const { sha256: _, size: __, ...rest } = artifact;
  return rest;
}

// Inputs, outputs and assertions belong to the recipe, so their keys are compared whatever their names are.
const recipeData = new Set(['output', 'asserts', 'inputs']);

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const rest = Object.entries(value).filter(([key]) => !names.has(key));
  return Object.fromEntries(rest.map(([key, item]) => [key, recipeData.has(key) ? item : without(item, names)]));
}
