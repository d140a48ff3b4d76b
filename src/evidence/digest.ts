// The digest of a JSON document, independent of key order and white space.

import { createDigestWriter } from '../system/files/atomicFile.js';

const digestCache = new WeakMap<object, string>();

/** Returns the SHA-256 digest of a JSON value. The digest of an object is cached, because documents are digested several times. */
export function digestOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return computeDigest(value);
  const digest = digestCache.get(value) ?? computeDigest(value);
  digestCache.set(value, digest);
  return digest;
}

// The JSON is digested in parts, because a long document may not fit into one string.
function computeDigest(value: unknown): string {
  const writer = createDigestWriter(() => undefined);
  writeCanonical(value, writer.write);
  return `sha256:${writer.end().sha256}`;
}

export function canonicalJson(value: unknown): string {
  let text = '';
  writeCanonical(value, (part) => {
    text += part;
  });
  return text;
}

function writeCanonical(value: unknown, write: (text: string) => void): void {
  if (typeof value !== 'object' || value === null) write(JSON.stringify(value));
  else if (Array.isArray(value)) writeCanonicalList(value, write);
  else writeCanonicalObject(value as Record<string, unknown>, write);
}

function writeCanonicalList(list: readonly unknown[], write: (text: string) => void): void {
  let separator = '[';
  for (const item of list) {
    write(separator);
    writeCanonical(item ?? null, write);
    separator = ',';
  }
  write(separator === '[' ? '[]' : ']');
}

function writeCanonicalObject(object: Readonly<Record<string, unknown>>, write: (text: string) => void): void {
  const keys = Object.keys(object);
  const isSorted = areSorted(keys);
  // The JSON of an object with sorted keys and without inner objects is canonical already.
  if (isSorted && keys.every((key) => isScalar(object[key]))) {
    write(JSON.stringify(object));
    return;
  }
  if (!isSorted) keys.sort();
  let separator = '{';
  for (const key of keys) {
    if (object[key] === undefined) continue;
    write(`${separator}${JSON.stringify(key)}:`);
    writeCanonical(object[key], write);
    separator = ',';
  }
  write(separator === '{' ? '{}' : '}');
}

/** Compares keys by code unit, as JavaScript compares strings. */
function areSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++) if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return false;
  return true;
}

function isScalar(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && value !== undefined);
}
