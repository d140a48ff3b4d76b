// A digest that does not depend on key order or white space.
import { sha256 } from '../system/files.js';

const known = new WeakMap<object, string>();

/** Asked several times of the same document, which nobody changes. */
export function digestOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `sha256:${sha256(canonicalJson(value))}`;
  const digest = known.get(value) ?? `sha256:${sha256(canonicalJson(value))}`;
  known.set(value, digest);
  return digest;
}

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const own = value as Record<string, unknown>;
  const keys = Object.keys(own);
  const isSorted = inOrder(keys);
  // What stands in order already is printed in that order.
  if (isSorted && keys.every((key) => isPlain(own[key]))) return JSON.stringify(value);
  if (!isSorted) keys.sort();
  let text = '{';
  for (const key of keys) {
    if (own[key] !== undefined) text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${canonicalJson(own[key])}`;
  }
  return `${text}}`;
}

/** By code unit, as texts are compared. */
function inOrder(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++) if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return false;
  return true;
}

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && value !== undefined);
}
