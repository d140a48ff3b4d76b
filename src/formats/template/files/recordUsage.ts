// Counts the launches of a recipe: in a file beside it by default, or in the recipe on request.

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../../system/clock.js';
import { readBytesIfThere, writeFileAtomically } from '../../../system/files/files.js';
import { isObject, type RawRecipe } from '../model.js';

export type UsageOptions = { kind: LaunchKind; inFile?: boolean };

/** The file of the count. Discovery skips folders, so it never takes it for a recipe. */
export function usageFilePath(file: string): string {
  return join(dirname(file), '.usage', `${basename(file)}.json`);
}

/** Undefined for Markdown and for JSON that is not an object. */
export function recordUsage(file: string, { kind, inFile = false }: UsageOptions): Usage | undefined {
  const raw = readJson(file);
  if (!raw) return undefined;
  const usageFile = usageFilePath(file);
  const before = inFile ? raw.usage : readJson(usageFile);
  const usage = countUsage(raw, isObject(before) ? before : undefined, { kind, now: systemClock.wall() });
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
    // SyntaxError: Markdown, or a broken recipe, which is reported when it is loaded.
    return undefined;
  }
}

// The count starts again when the author changes the recipe.

type LaunchKind = 'tool' | 'spawn' | 'direct';

export type Usage = Readonly<Record<string, unknown>>;

/** Failures are not counted: a failed launch does not make a recipe useless. */
function countUsage(recipe: RawRecipe, before: Usage | undefined, { kind, now }: { kind: LaunchKind; now: string }): Usage {
  const fingerprint = computeFingerprint(recipe);
  const isChanged = typeof before?.fingerprint === 'string' && before.fingerprint !== fingerprint;
  const previous = isChanged ? {} : (before ?? {});
  const count = (name: string): number => (typeof previous[name] === 'number' ? previous[name] : 0) + 1;
  const reset = isChanged ? { reset_at: now, reset_reason: 'recipe content fingerprint changed' } : {};
  const counted = { calls: count('calls'), [`${kind}_calls`]: count(`${kind}_calls`) };
  return { ...previous, ...counted, ...reset, last_called: now, launch_kind: kind, fingerprint };
}

/** Of the author's text alone, whatever the order of its keys. */
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
