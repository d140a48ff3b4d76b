// Knows the secret values of one run, and masks them in everything that recipewright stores or prints.

import { compileMatcher, type Pattern, toLowerCaseBytes } from './matcher.js';
import {
  locateSecrets,
  type MaskSet,
  maskLabel,
  noopStreamMasker,
  openStreamMasker,
  renderMasked,
  type StreamMasker,
} from './openStreamMasker.js';
import { findSecretFragments, findWeakness } from './secretFragments.js';
import { listSpellings } from './spellings.js';

export type SecretRange = { start: number; end: number };

export type Vault = {
  /** The names of the secrets that are masked. */
  readonly names: readonly string[];
  /** Secrets that cannot be masked, with the reason. A run with such a secret must not begin. */
  readonly refused: ReadonlyMap<string, string>;
  /** Masks a string. Returns the same string if it contains no secret. */
  mask(text: string): string;
  /** Masks every key, string and number in a value. Returns the same value if it contains no secret. */
  maskJson(value: unknown): unknown;
  openStreamMasker(): StreamMasker;
  /** Returns the places of secrets in a string, in UTF-16 units, sorted. */
  findRanges(text: string): SecretRange[];
  /** Returns the names of the secrets in the bytes. */
  find(bytes: Uint8Array): string[];
};

export function openVault(secrets: ReadonlyMap<string, string>): Vault {
  const refused = new Map<string, string>();
  const usable = new Map<string, string>();
  for (const [name, value] of secrets) {
    const weakness = findWeakness(value);
    if (weakness === undefined) usable.set(name, value);
    else refused.set(name, weakness);
  }
  return usable.size === 0 ? { ...emptyVault, refused } : createVault(usable, refused);
}

const emptyVault: Vault = {
  names: [],
  refused: new Map(),
  mask: (text) => text,
  maskJson: (value) => value,
  openStreamMasker: () => noopStreamMasker,
  findRanges: () => [],
  find: () => [],
};

function createVault(secrets: ReadonlyMap<string, string>, refused: ReadonlyMap<string, string>): Vault {
  const maskSet = compileMasks(secrets);
  const numbers = findNumericSecrets(secrets);
  const mask = (text: string): string => maskText(maskSet, text);
  const maskNumber = (value: number): number | string => {
    const label = numbers.get(value);
    const masked = label === undefined ? mask(String(value)) : String(maskSet.masks[label]);
    return masked === String(value) ? value : masked;
  };
  return {
    names: maskSet.names,
    refused,
    mask,
    maskJson: (value) => maskJson(value, { text: mask, number: maskNumber }),
    openStreamMasker: () => openStreamMasker(maskSet),
    findRanges: (text) => findRanges(maskSet, text),
    find(bytes) {
      const { hits } = locateSecrets(maskSet.matcher, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return [...new Set(hits.map(({ label }) => maskSet.names[label] as string))].sort();
    },
  };
}

function compileMasks(secrets: ReadonlyMap<string, string>): MaskSet {
  const patterns = new Map<string, Pattern>();
  const add = (text: string, label: number): void => {
    const bytes = toLowerCaseBytes(text);
    const key = bytes.toString('latin1');
    if (!patterns.has(key)) patterns.set(key, { bytes, label });
  };
  const names = [...secrets.keys()];
  const masks = names.map(createMask);
  for (const [label, value] of [...secrets.values()].entries()) {
    for (const part of findSecretFragments(value)) for (const spelling of listSpellings(part)) add(spelling, label);
  }
  for (const mask of masks) add(mask, maskLabel);
  return { matcher: compileMatcher([...patterns.values()]), names, masks: masks.map((mask) => Buffer.from(mask)) };
}

// A mask may appear in JSON, HTML and shell commands, so it contains no characters that have a meaning there.
function createMask(name: string): string {
  return `[secret:${name.replace(/[^\p{L}\p{N}_.-]/gu, '_')}]`;
}

function maskText({ matcher, masks }: MaskSet, text: string): string {
  if (text.length < matcher.shortest && Buffer.byteLength(text) < matcher.shortest) return text;
  const bytes = Buffer.from(text);
  const { hits } = locateSecrets(matcher, bytes);
  if (hits.length === 0) return text;
  const { pieces } = renderMasked(bytes, hits, { maskedAhead: 0, to: bytes.length, mask: (label) => masks[label] as Buffer });
  return Buffer.concat(pieces).toString();
}

function findRanges({ matcher }: MaskSet, text: string): SecretRange[] {
  const bytes = Buffer.from(text);
  let at = 0;
  let length = 0;
  return locateSecrets(matcher, bytes).hits.map((hit) => {
    length += bytes.toString('utf8', at, hit.start).length;
    at = hit.start;
    return { start: length, end: length + bytes.toString('utf8', hit.start, hit.end).length };
  });
}

/** Finds secrets that are numbers. A parsed number has lost its outer zeros. Numbers below 100,000 are too common to be masked. */
function findNumericSecrets(secrets: ReadonlyMap<string, string>): Map<number, number> {
  const values = [...secrets.values()].map((value) => value.trim());
  const numeric = [...values.entries()].filter(([, value]) => /^\d+(\.\d+)?$/.test(value) && Number(value) >= 100_000);
  return new Map(numeric.map(([label, value]) => [Number(value), label]));
}

/** Masks a single string or number. */
type ScalarMask = { text(text: string): string; number(value: number): number | string };

/** Masks every key, string and number at any depth. Returns the same value if it contains no secret. */
function maskJson(value: unknown, mask: ScalarMask): unknown {
  return containsSecret(value, mask) ? copyMasked(value, mask) : value;
}

function containsSecret(value: unknown, mask: ScalarMask): boolean {
  const seen = new Set<object>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (isContainer(next) && seen.has(next)) continue;
    if (isContainer(next)) seen.add(next);
    const jsonValue = toJsonValue(next);
    if (!isContainer(jsonValue)) {
      if (!Object.is(maskScalar(jsonValue, mask), jsonValue)) return true;
      continue;
    }
    for (const [key, inner] of Object.entries(jsonValue)) {
      if (!Array.isArray(jsonValue) && mask.text(key) !== key) return true;
      open.push(inner);
    }
  }
  return false;
}

// Each container is created before its content, so that deep values need no recursion and cycles are copied as cycles.
function copyMasked(value: unknown, mask: ScalarMask): unknown {
  const copies = new Map<object, unknown>();
  const open: [from: object, into: object][] = [];
  const copy = (inner: unknown): unknown => {
    if (!isContainer(inner)) return maskScalar(inner, mask);
    if (copies.has(inner)) return copies.get(inner);
    const from = toJsonValue(inner);
    const into = !isContainer(from) ? maskScalar(from, mask) : Array.isArray(from) ? new Array(from.length) : {};
    copies.set(inner, into);
    if (isContainer(from)) open.push([from, into as object]);
    return into;
  };
  const root = copy(value);
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, into] = next;
    for (const [key, inner] of Object.entries(from)) defineKey(into, Array.isArray(from) ? key : mask.text(key), copy(inner));
  }
  return root;
}

/** Returns the value that `JSON.stringify` would print. Dates and URLs have a method `toJSON`. */
function toJsonValue(value: unknown): unknown {
  if (!isContainer(value) || !('toJSON' in value) || typeof value.toJSON !== 'function') return value;
  try {
    return value.toJSON();
  } catch {
    // Any error that the project's own toJSON throws. The value cannot be printed.
    return undefined;
  }
}

// Keys are defined instead of assigned, because a key may be `__proto__`. When two keys get the same mask, the second one gets a number.
function defineKey(into: object, key: string, value: unknown): void {
  let freeKey = key;
  for (let count = 2; Object.hasOwn(into, freeKey); count++) freeKey = `${key} (${count})`;
  Object.defineProperty(into, freeKey, { value, writable: true, enumerable: true, configurable: true });
}

function maskScalar(value: unknown, mask: ScalarMask): unknown {
  if (typeof value === 'string') return mask.text(value);
  return typeof value === 'number' ? mask.number(value) : value;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
