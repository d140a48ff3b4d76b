// Documents with the keys that prototypes are polluted by, and a look at whether they were.
import { joinPointer } from '../../src/document/jsonPointer.js';

const dangerous = ['__proto__', 'constructor', 'prototype'];
const poison = dangerous.map((key) => `"${key}":{"polluted":true}`).join();

/** The text with the keys in one of its objects after the other, and where they begin. */
export function* poisonEveryObject(original: string): Generator<{ text: string; offset: number }> {
  // A document may have such a key already, and twice would be a fault of its own.
  const text = original.replace(/"(__proto__|constructor|prototype)"(?=\s*:)/g, '"former $1"');
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|\{\s*\}?/g)) {
    if (!token.startsWith('{')) continue;
    const comma = token.endsWith('}') ? '' : ',';
    yield { text: `${text.slice(0, index + 1)}${poison}${comma}${text.slice(index + 1)}`, offset: index + 1 };
  }
}

/** The pointer of the object that has all of the keys as its own. */
export function findPoisoned(value: unknown, pointer = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (dangerous.every((key) => Object.hasOwn(value, key))) return pointer;
  for (const [key, held] of Object.entries(value)) {
    const found = findPoisoned(held, joinPointer(pointer, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the prototypes hold, and what an object of its own inherits. */
export function prototypes(): unknown[] {
  const types = [Object, Array, Function, String, Map];
  return [types.map((type) => Reflect.ownKeys(type.prototype)), ({} as { polluted?: unknown }).polluted];
}
