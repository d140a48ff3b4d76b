// Counts the launches of a recipe, in a separate file by default or in the recipe itself.

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../../system/clock.js';
import { readBytesIfThere, writeFileAtomically } from '../../../system/files/files.js';
import { isObject, type RawRecipe } from '../model.js';

export type UsageOptions = { kind: LaunchKind; inFile?: boolean };

/** Returns the path of the counter file. It is in a subfolder, which the discovery of recipes does not search. */
export function usageFilePath(file: string): string {
  return join(dirname(file), '.usage', `${basename(file)}.json`);
}

/** Returns undefined for Markdown and for JSON that is not an object. */
export function recordUsage(file: string, { kind, inFile = false }: UsageOptions): Usage | undefined {
  const raw = readJson(file);
  if (!raw) return undefined;
  const usageFile = usageFilePath(file);
  const previous = inFile ? raw.usage : readJson(usageFile);
  const usage = countUsage(raw, isObject(previous) ? previous : undefined, { kind, now: systemClock.wall() });
  writeFileAtomically(inFile ? file : usageFile, `${JSON.stringify(inFile ? { ...raw, usage } : usage, null, 2)}\n`);
  return usage;
}

function readJson(file: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = readBytesIfThere(file);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isObject(value) ? value : undefined;
  } catch {
    // SyntaxError: the file is Markdown, or a broken recipe that the loader reports.
    return undefined;
  }
}

type LaunchKind = 'tool' | 'spawn' | 'direct';

export type Usage = Readonly<Record<string, unknown>>;

/** Adds one launch, whether it failed or not. The count restarts when the author changes the recipe. */
function countUsage(recipe: RawRecipe, previous: Usage | undefined, { kind, now }: { kind: LaunchKind; now: string }): Usage {
  const fingerprint = computeFingerprint(recipe);
  const isChanged = typeof previous?.fingerprint === 'string' && previous.fingerprint !== fingerprint;
  const base = isChanged ? {} : (previous ?? {});
  const count = (name: string): number => (typeof base[name] === 'number' ? base[name] : 0) + 1;
  const reset = isChanged ? { reset_at: now, reset_reason: 'recipe content fingerprint changed' } : {};
  const counts = { calls: count('calls'), [`${kind}_calls`]: count(`${kind}_calls`) };
  return { ...base, ...counts, ...reset, last_called: now, launch_kind: kind, fingerprint };
}

/** Hashes the authored fields without the usage. The order of the keys does not matter. */
function computeFingerprint({ usage: _, ...authored }: RawRecipe): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(authored)))
    .digest('hex');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]));
}
