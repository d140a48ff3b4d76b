// A digest that does not depend on key order or white space.
import { sha256 } from '../system/files.js';

export function digestOf(value: unknown): string {
  return `sha256:${sha256(canonicalJson(value))}`;
}

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const own = value as Record<string, unknown>;
  const pairs = keys.filter((key) => own[key] !== undefined).map((key) => `${JSON.stringify(key)}:${canonicalJson(own[key])}`);
  return `{${pairs.join(',')}}`;
}
