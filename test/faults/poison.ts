// Adds keys that could change prototypes to documents, and checks whether prototypes have changed.
import { joinPointer } from '../../src/document/jsonPointer.js';

const dangerous = ['__proto__', 'constructor', 'prototype'];
const poison = dangerous.map((key) => `"${key}":{"polluted":true}`).join();

/** Yields the text once for each of its objects, with the keys added to that object, and the offset of the keys. */
export function* poisonEveryObject(original: string): Generator<{ text: string; offset: number }> {
  // Renames such keys that the document already has, because a duplicate key would be refused.
  const text = original.replace(/"(__proto__|constructor|prototype)"(?=\s*:)/g, '"former $1"');
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|\{\s*\}?/g)) {
    if (!token.startsWith('{')) continue;
    const comma = token.endsWith('}') ? '' : ',';
    yield { text: `${text.slice(0, index + 1)}${poison}${comma}${text.slice(index + 1)}`, offset: index + 1 };
  }
}

/** Returns the pointer of the object that has all of the keys as own properties. */
export function findPoisoned(value: unknown, pointer = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (dangerous.every((key) => Object.hasOwn(value, key))) return pointer;
  for (const [key, inner] of Object.entries(value)) {
    const found = findPoisoned(inner, joinPointer(pointer, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the keys of the built-in prototypes, and the value that a new object inherits. */
export function prototypes(): unknown[] {
  const types = [Object, Array, Function, String, Map];
  return [types.map((type) => Reflect.ownKeys(type.prototype)), ({} as { polluted?: unknown }).polluted];
}
