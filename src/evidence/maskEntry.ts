// Masks secrets in the free text of a journal line. Fields that decide a verdict or a replay are not masked, because a secret may
// have a value such as "subject", and its mask would change the result of a run.

import type { Vault } from '../secrets/vault.js';
import type { JournalEntry } from './journal.js';

/** Fields in `unmasked` are copied, fields in `fields` have a shape of their own, and all other fields, also new ones, are masked. */
type MaskShape = { unmasked: ReadonlySet<string>; fields?: ReadonlyMap<string, MaskShape>; each?: MaskShape };

const shape = (unmasked: string, fields: Readonly<Record<string, MaskShape>> = {}): MaskShape => ({
  unmasked: new Set(unmasked.split(' ')),
  fields: new Map(Object.entries(fields)),
});

/** Creates the shape of a list, or of an object whose keys are names. */
const each = (inner: MaskShape): MaskShape => ({ unmasked: new Set(), each: inner });

const comparisonShape = shape('operator path source missing held proofTarget');
const assertShape = shape('operator path source missing held proofTarget', { comparisons: each(comparisonShape) });
const lineShape = shape(
  't v seq at prev path visit attempt run tool host action phase record proofTarget fallible ms ok tolerated final noted retried status next signal git_ref git_dirty tree_digest fail_on_unexpected judged_as',
  {
    recipe: shape('id digest'),
    runner: shape('name version source git_ref'),
    inputs: each(shape('origin')),
    targets: each(shape('id visible')),
    decision: shape('items refused case fired'),
    asserts: each(assertShape),
    artifacts: each(shape('type category nodeId proofTarget mimeType viewport sha256 size')),
    issues: each(shape('level source')),
    error: shape('code cause_class'),
  },
);

/** Returns the entry with its secrets masked, or the same object when it has none. */
export function maskEntry<E extends JournalEntry>(entry: E, vault: Vault): E {
  return vault.names.length === 0 ? entry : (maskByShape(lineShape, entry, vault) as E);
}

function maskByShape(shape: MaskShape, value: unknown, vault: Vault): unknown {
  if (typeof value !== 'object' || value === null) return vault.maskJson(value);
  const masked = Object.entries(value).map(([key, inner]): [string, unknown] => {
    if (shape.unmasked.has(key)) return [key, inner];
    const known = shape.each ?? shape.fields?.get(key);
    return [key, known ? maskByShape(known, inner, vault) : vault.maskJson(inner)];
  });
  if (masked.every(([key, inner]) => Object.is(inner, (value as Record<string, unknown>)[key]))) return value;
  return Array.isArray(value) ? masked.map(([, inner]) => inner) : Object.fromEntries(masked);
}
