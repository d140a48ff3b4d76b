// A digest that does not depend on key order or white space.
import { createDigestWriter } from '../system/files/atomicFile.js';

const digestCache = new WeakMap<object, string>();

/** Asked several times of the same document, which nobody changes. */
export function digestOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return computeDigest(value);
  const digest = digestCache.get(value) ?? computeDigest(value);
  digestCache.set(value, digest);
  return digest;
}

// A long document is never there as one text.
function computeDigest(value: unknown): string {
  const gathered = createDigestWriter(() => undefined);
  writeCanonical(value, gathered.write);
  return `sha256:${gathered.end().sha256}`;
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
  let before = '[';
  for (const item of list) {
    write(before);
    writeCanonical(item ?? null, write);
    before = ',';
  }
  write(before === '[' ? '[]' : ']');
}

function writeCanonicalObject(object: Readonly<Record<string, unknown>>, write: (text: string) => void): void {
  const keys = Object.keys(object);
  const isSorted = areSorted(keys);
  // What stands in order already is printed in that order.
  if (isSorted && keys.every((key) => isScalar(object[key]))) {
    write(JSON.stringify(object));
    return;
  }
  if (!isSorted) keys.sort();
  let before = '{';
  for (const key of keys) {
    if (object[key] === undefined) continue;
    write(`${before}${JSON.stringify(key)}:`);
    writeCanonical(object[key], write);
    before = ',';
  }
  write(before === '{' ? '{}' : '}');
}

/** By code unit, as texts are compared. */
function areSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++) if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return false;
  return true;
}

function isScalar(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && value !== undefined);
}
