// A digest that does not depend on key order or white space.
import { createDigestWriter } from '../system/files/atomicFile.js';

const known = new WeakMap<object, string>();

/** Asked several times of the same document, which nobody changes. */
export function digestOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return digested(value);
  const digest = known.get(value) ?? digested(value);
  known.set(value, digest);
  return digest;
}

// A long document is never there as one text.
function digested(value: unknown): string {
  const gathered = createDigestWriter(() => undefined);
  print(value, gathered.write);
  return `sha256:${gathered.end().sha256}`;
}

export function canonicalJson(value: unknown): string {
  let text = '';
  print(value, (part) => {
    text += part;
  });
  return text;
}

function print(value: unknown, write: (text: string) => void): void {
  if (typeof value !== 'object' || value === null) write(JSON.stringify(value));
  else if (Array.isArray(value)) printList(value, write);
  else printObject(value as Record<string, unknown>, write);
}

function printList(list: readonly unknown[], write: (text: string) => void): void {
  let before = '[';
  for (const item of list) {
    write(before);
    print(item ?? null, write);
    before = ',';
  }
  write(before === '[' ? '[]' : ']');
}

function printObject(own: Readonly<Record<string, unknown>>, write: (text: string) => void): void {
  const keys = Object.keys(own);
  const isSorted = inOrder(keys);
  // What stands in order already is printed in that order.
  if (isSorted && keys.every((key) => isPlain(own[key]))) {
    write(JSON.stringify(own));
    return;
  }
  if (!isSorted) keys.sort();
  let before = '{';
  for (const key of keys) {
    if (own[key] === undefined) continue;
    write(`${before}${JSON.stringify(key)}:`);
    print(own[key], write);
    before = ',';
  }
  write(before === '{' ? '{}' : '}');
}

/** By code unit, as texts are compared. */
function inOrder(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++) if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return false;
  return true;
}

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && value !== undefined);
}
