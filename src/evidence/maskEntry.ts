// Masks what is free text in a journal line. What a verdict, a replay or a reader of the package goes by is never altered:
// a secret may well have the value "subject", and a run may not turn out differently for it.

import type { Vault } from '../secrets/vault.js';
import type { JournalEntry } from './journal.js';

/** `fixed` fields stay, those in `inside` have fields of their own, all others are masked whole: a new field is safe until it is listed. */
type MaskShape = { unmasked: ReadonlySet<string>; fields?: ReadonlyMap<string, MaskShape>; each?: MaskShape };

const shape = (fixed: string, inside: Readonly<Record<string, MaskShape>> = {}): MaskShape => ({
  unmasked: new Set(fixed.split(' ')),
  fields: new Map(Object.entries(inside)),
});
/** Of a list, or of an object whose keys are names. */
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

/** The same entry when nothing in it has to be hidden. */
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
