// What `integrity_hash` says of a topology. No public tool computes it; these are the ways in which it can be meant.
import { createHash } from 'node:crypto';
import { closingQuote, createPointerFinder, wordAt } from '../../document/outlineText.js';
import { writePythonJson } from './python/pythonJson.js';
import { type ManifestRead, readManifest } from './readManifest.js';

/** H1 is what we write: the topology with its defaults and without its empty fields, as the house of the format prints JSON. */
const hashNames = ['H1', 'H2', 'H3', 'H4', 'H5', 'H6'] as const;
type HashName = (typeof hashNames)[number];

export type Integrity =
  | { status: 'absent' }
  | { status: 'verified'; by: HashName }
  /** It is no digest, so nobody can say. */
  | { status: 'unverifiable' }
  | { status: 'mismatch'; expected: string };

type HashedManifest = Required<Pick<ManifestRead, 'manifest' | 'written' | 'given'>>;

export function verifyIntegrity(read: HashedManifest): Integrity {
  const declaredHash = read.manifest.integrity_hash;
  if (declaredHash === null) return { status: 'absent' };
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(declaredHash)?.[1]?.toLowerCase();
  if (hex === undefined) return { status: 'unverifiable' };
  const hashes = computeIntegrityHashes(read);
  const by = hashNames.find((name) => hashes[name] === hex);
  return by ? { status: 'verified', by } : { status: 'mismatch', expected: hashes.H1 };
}

export function computeIntegrityHashes({ written, given }: Pick<HashedManifest, 'written' | 'given'>): Record<HashName, string> {
  const full = written.topology;
  const withoutEmptyFields = withoutNulls(full);
  return {
    H1: sha256(writePythonJson(withoutEmptyFields)),
    H2: sha256(writePythonJson(withoutEmptyFields, { compact: true })),
    H3: sha256(writePythonJson(full)),
    H4: sha256(writePythonJson(given, { compact: true })),
    H5: sha256(writePythonJson(given)),
    H6: sha256(writePythonJson(withoutEmptyFields, { ascii: true })),
  };
}

/** Where anything may stand, null is a value like any other. */
const freeFormKeys = new Set(['metadata', 'config', 'overrides', 'schema', 'args', 'mapping']);

// Only fields of the models can be left out; everything else is the author's.
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, freeFormKeys.has(key) ? item : withoutNulls(item)]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

// A manifest with its integrity hash, otherwise letter for letter as it was: another spelling of a number would be another hash.

/** Undefined for a text that is no manifest. */
export function writeIntegrityHash(text: string): string | undefined {
  const { manifest, written, given } = readManifest(text);
  if (!manifest || !written) return undefined;
  const hash = JSON.stringify(computeIntegrityHashes({ written, given }).H1);
  const root = text.indexOf('{');
  const at = createPointerFinder(text)('/integrity_hash', 'value');
  if (at !== root) return text.slice(0, at) + hash + text.slice(findValueEnd(text, at));
  const space = /^\s*/.exec(text.slice(root + 1))?.[0] ?? '';
  return `${text.slice(0, root + 1)}${space}"integrity_hash": ${hash},${text.slice(root + 1)}`;
}

/** Of a text or of null, which is all it can be. */
function findValueEnd(text: string, at: number): number {
  return text[at] === '"' ? closingQuote(text, at) + 1 : at + wordAt(text, at).length;
}
