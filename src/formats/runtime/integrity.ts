// What `integrity_hash` says of a topology. No public tool computes it; these are the ways in which it can be meant.
import { createHash } from 'node:crypto';
import type { ManifestRead } from './manifest.js';
import { pythonJson } from './written.js';

/** H1 is what we write: the topology with its defaults and without its empty fields, as the house of the format prints JSON. */
export const hashNames = ['H1', 'H2', 'H3', 'H4', 'H5', 'H6'] as const;
export type HashName = (typeof hashNames)[number];

export type Integrity =
  | { status: 'absent' }
  | { status: 'verified'; by: HashName }
  /** It is no digest, so nobody can say. */
  | { status: 'unverifiable' }
  | { status: 'mismatch'; expected: string };

type Read = Required<Pick<ManifestRead, 'manifest' | 'written' | 'given'>>;

export function verifyIntegrity(read: Read): Integrity {
  const given = read.manifest.integrity_hash;
  if (given === null) return { status: 'absent' };
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(given)?.[1]?.toLowerCase();
  if (hex === undefined) return { status: 'unverifiable' };
  const hashes = integrityHashes(read);
  const by = hashNames.find((name) => hashes[name] === hex);
  return by ? { status: 'verified', by } : { status: 'mismatch', expected: hashes.H1 };
}

export function integrityHashes({ written, given }: Pick<Read, 'written' | 'given'>): Record<HashName, string> {
  const full = written.topology;
  const house = withoutNulls(full);
  return {
    H1: sha256(pythonJson(house)),
    H2: sha256(pythonJson(house, { compact: true })),
    H3: sha256(pythonJson(full)),
    H4: sha256(pythonJson(given, { compact: true })),
    H5: sha256(pythonJson(given)),
    H6: sha256(pythonJson(house, { ascii: true })),
  };
}

/** Where anything may stand, null is a value like any other. */
const free = new Set(['metadata', 'config', 'overrides', 'schema', 'args', 'mapping']);

// Only fields of the models can be left out; everything else is the author's.
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, free.has(key) ? item : withoutNulls(item)]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
