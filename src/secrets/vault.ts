// Holds the secret values of one run, and masks them in everything that is kept or printed.

import { compileMatcher, foldedBytes, type Pattern } from './matcher.js';
import {
  locateSecrets,
  type MaskSet,
  maskLabel,
  noopRedactor,
  openRedactor,
  type Redactor,
  renderMasked,
} from './openRedactor.js';
import { findSecretFragments, findWeakness } from './secretFragments.js';
import { listSpellings } from './spellings.js';

export type SecretRange = { start: number; end: number };

export type Vault = {
  /** The names of the secrets that are masked. */
  readonly names: readonly string[];
  /** Secrets that cannot be masked, with the reason. A run must not begin with one. */
  readonly refused: ReadonlyMap<string, string>;
  /** Returns the same text if it contains no secret. */
  mask(text: string): string;
  /** Masks every key, text and number. Returns the same value if it contains no secret. */
  maskJson(value: unknown): unknown;
  redactor(): Redactor;
  /** The places of secrets in a text, in UTF-16 units, sorted. */
  findRanges(text: string): SecretRange[];
  /** The names of the secrets in the bytes. */
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
  redactor: () => noopRedactor,
  findRanges: () => [],
  find: () => [],
};

function createVault(secrets: ReadonlyMap<string, string>, refused: ReadonlyMap<string, string>): Vault {
  const known = compileMasks(secrets);
  const numbers = findNumericSecrets(secrets);
  const mask = (text: string): string => maskText(known, text);
  const maskNumber = (value: number): number | string => {
    const label = numbers.get(value);
    const masked = label === undefined ? mask(String(value)) : String(known.masks[label]);
    return masked === String(value) ? value : masked;
  };
  return {
    names: known.names,
    refused,
    mask,
    maskJson: (value) => maskJson(value, { text: mask, number: maskNumber }),
    redactor: () => openRedactor(known),
    findRanges: (text) => findRanges(known, text),
    find(bytes) {
      const { hits } = locateSecrets(known.matcher, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return [...new Set(hits.map(({ label }) => known.names[label] as string))].sort();
    },
  };
}

function compileMasks(secrets: ReadonlyMap<string, string>): MaskSet {
  const patterns = new Map<string, Pattern>();
  const add = (text: string, label: number): void => {
    const bytes = foldedBytes(text);
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

// A mask appears in JSON, HTML and shell text, so it must not contain characters with a meaning there.
function createMask(name: string): string {
  return `[secret:${name.replace(/[^\p{L}\p{N}_.-]/gu, '_')}]`;
}

function maskText({ matcher, masks }: MaskSet, text: string): string {
  if (text.length < matcher.shortest && Buffer.byteLength(text) < matcher.shortest) return text;
  const bytes = Buffer.from(text);
  const { hits } = locateSecrets(matcher, bytes);
  if (hits.length === 0) return text;
  const { pieces } = renderMasked(bytes, hits, { covered: 0, to: bytes.length, mask: (label) => masks[label] as Buffer });
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

/** A parsed number has lost its outer zeros. One with few digits left could be any number. */
function findNumericSecrets(secrets: ReadonlyMap<string, string>): Map<number, number> {
  const values = [...secrets.values()].map((value) => value.trim());
  const numeric = [...values.entries()].filter(([, value]) => /^\d+(\.\d+)?$/.test(value) && Number(value) >= 100_000);
  return new Map(numeric.map(([label, value]) => [Number(value), label]));
}

type ScalarMask = { text(text: string): string; number(value: number): number | string };

/** Masks every key, text and number, however deep. Returns the same value if it contains no secret. */
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
    const printed = toJsonValue(next);
    if (!isContainer(printed)) {
      if (!Object.is(maskScalar(printed, mask), printed)) return true;
      continue;
    }
    for (const [key, inner] of Object.entries(printed)) {
      if (!Array.isArray(printed) && mask.text(key) !== key) return true;
      open.push(inner);
    }
  }
  return false;
}

// Each container is made before its content, so that depth needs no stack and cycles stay cycles.
function copyMasked(value: unknown, mask: ScalarMask): unknown {
  const made = new Map<object, unknown>();
  const open: [from: object, into: object][] = [];
  const copy = (inner: unknown): unknown => {
    if (!isContainer(inner)) return maskScalar(inner, mask);
    if (made.has(inner)) return made.get(inner);
    const from = toJsonValue(inner);
    const into = !isContainer(from) ? maskScalar(from, mask) : Array.isArray(from) ? new Array(from.length) : {};
    made.set(inner, into);
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

/** The value that `JSON.stringify` prints: a date or a URL has `toJSON`. */
function toJsonValue(value: unknown): unknown {
  if (!isContainer(value) || !('toJSON' in value) || typeof value.toJSON !== 'function') return value;
  try {
    return value.toJSON();
  } catch {
    // Any error of the project's own toJSON: the value cannot be printed.
    return undefined;
  }
}

// Defined, not assigned, because a key may be `__proto__`. Two keys may get the same mask, and both are kept.
function defineKey(into: object, key: string, value: unknown): void {
  let free = key;
  for (let count = 2; Object.hasOwn(into, free); count++) free = `${key} (${count})`;
  Object.defineProperty(into, free, { value, writable: true, enumerable: true, configurable: true });
}

function maskScalar(value: unknown, mask: ScalarMask): unknown {
  if (typeof value === 'string') return mask.text(value);
  return typeof value === 'number' ? mask.number(value) : value;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
