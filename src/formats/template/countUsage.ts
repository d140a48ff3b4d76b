// How often a recipe was launched since its author last changed it.
import { createHash } from 'node:crypto';
import { isObject } from './templateNode.js';
import type { Raw } from './templateRecipe.js';

export type LaunchKind = 'tool' | 'spawn' | 'direct';

export type Usage = Readonly<Record<string, unknown>>;

/** There is no count of failures: a failed launch says nothing about the worth of a recipe. */
export function countUsage(recipe: Raw, before: Usage | undefined, { kind, now }: { kind: LaunchKind; now: string }): Usage {
  const fingerprint = fingerprintOf(recipe);
  const isChanged = typeof before?.fingerprint === 'string' && before.fingerprint !== fingerprint;
  const kept = isChanged ? {} : (before ?? {});
  const count = (name: string): number => (typeof kept[name] === 'number' ? kept[name] : 0) + 1;
  const reset = isChanged ? { reset_at: now, reset_reason: 'recipe content fingerprint changed' } : {};
  const counted = { calls: count('calls'), [`${kind}_calls`]: count(`${kind}_calls`) };
  return { ...kept, ...counted, ...reset, last_called: now, launch_kind: kind, fingerprint };
}

/** Of what the author wrote, in whatever order. */
export function fingerprintOf({ usage: _, ...authored }: Raw): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(authored)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
