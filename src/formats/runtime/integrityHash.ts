// Verifies and writes `integrity_hash`. The format does not define how it is computed, so six variants are accepted.
import { createHash } from 'node:crypto';
import { closingQuote, createPointerFinder, wordAt } from '../../document/outlineText.js';
import { writePythonJson } from './python/pythonJson.js';
import { type ManifestRead, readManifest } from './readManifest.js';

/**
 * H1 is the variant that recipewright writes: the topology with defaults and without nulls, as Python's `json.dumps` prints it.
 */
const hashNames = ['H1', 'H2', 'H3', 'H4', 'H5', 'H6'] as const;
type HashName = (typeof hashNames)[number];

export type Integrity =
  | { status: 'absent' }
  | { status: 'verified'; by: HashName }
  /** The value is not a digest. */
  | { status: 'unverifiable' }
  | { status: 'mismatch'; expected: string };

type HashedManifest = Required<Pick<ManifestRead, 'manifest' | 'withNumerals' | 'authoredTopology'>>;

export function verifyIntegrity(read: HashedManifest): Integrity {
  const declaredHash = read.manifest.integrity_hash;
  if (declaredHash === null) return { status: 'absent' };
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(declaredHash)?.[1]?.toLowerCase();
  if (hex === undefined) return { status: 'unverifiable' };
  const hashes = computeIntegrityHashes(read);
  const by = hashNames.find((name) => hashes[name] === hex);
  return by ? { status: 'verified', by } : { status: 'mismatch', expected: hashes.H1 };
}

export function computeIntegrityHashes({
  withNumerals,
  authoredTopology,
}: Pick<HashedManifest, 'withNumerals' | 'authoredTopology'>): Record<HashName, string> {
  const full = withNumerals.topology;
  const withoutEmptyFields = withoutNulls(full);
  return {
    H1: sha256(writePythonJson(withoutEmptyFields)),
    H2: sha256(writePythonJson(withoutEmptyFields, { compact: true })),
    H3: sha256(writePythonJson(full)),
    H4: sha256(writePythonJson(authoredTopology, { compact: true })),
    H5: sha256(writePythonJson(authoredTopology)),
    H6: sha256(writePythonJson(withoutEmptyFields, { ascii: true })),
  };
}

/** Fields with arbitrary content, in which null is a value. */
const freeFormKeys = new Set(['metadata', 'config', 'overrides', 'schema', 'args', 'mapping']);

// Removes only fields of the models, not values of the author.
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const setFields = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(setFields.map(([key, item]) => [key, freeFormKeys.has(key) ? item : withoutNulls(item)]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Writes the hash into the text of a manifest and changes nothing else, as another spelling of a number would change the hash.
 * Undefined when the text is not a manifest.
 */
export function writeIntegrityHash(text: string): string | undefined {
  const { manifest, withNumerals, authoredTopology } = readManifest(text);
  if (!manifest || !withNumerals) return undefined;
  const hash = JSON.stringify(computeIntegrityHashes({ withNumerals, authoredTopology }).H1);
  const root = text.indexOf('{');
  const offset = createPointerFinder(text)('/integrity_hash', 'value');
  if (offset !== root) return text.slice(0, offset) + hash + text.slice(findValueEnd(text, offset));
  const space = /^\s*/.exec(text.slice(root + 1))?.[0] ?? '';
  return `${text.slice(0, root + 1)}${space}"integrity_hash": ${hash},${text.slice(root + 1)}`;
}

/** Finds the end of a value that is a string or null. */
function findValueEnd(text: string, offset: number): number {
  return text[offset] === '"' ? closingQuote(text, offset) + 1 : offset + wordAt(text, offset).length;
}
