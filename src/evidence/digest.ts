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
  let text = '{';
  // By code unit, as the default order is.
  for (const key of Object.keys(value).sort()) {
    if (own[key] !== undefined) text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${canonicalJson(own[key])}`;
  }
  return `${text}}`;
}
