// `{{params.a.b}}`, `{{inputs.x}}` and the flat `{{x}}`: a whole-string reference keeps its type, a result is never expanded again.
import type { Found } from './path.js';

const reference = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;

export type Lookup = (keys: readonly string[]) => Found;

export class UnresolvedReference extends Error {
  constructor(readonly reference: string) {
    super(`The reference {{${reference}}} has no value.`);
  }
}

export function expand(value: unknown, lookup: Lookup): unknown {
  if (typeof value === 'string') return value.includes('{{') ? expandText(value, lookup) : value;
  if (Array.isArray(value)) return value.map((item) => expand(item, lookup));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, lookup)]));
}

/** For text that a person reads: what has no value stays as it was written. */
export function expandForReading(text: string, lookup: Lookup): string {
  return text.replace(reference, (written, name: string) => {
    const found = lookup(name.split('.'));
    return found.found ? inText(found.value) : written;
  });
}

export function referencesIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(reference)].map((match) => match[1] ?? '');
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(referencesIn);
}

function expandText(text: string, lookup: Lookup): unknown {
  const whole = /^\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}$/.exec(text);
  if (whole?.[1]) return resolveReference(whole[1], lookup);
  return text.replace(reference, (_, name: string) => {
    return inText(resolveReference(name, lookup));
  });
}

function resolveReference(name: string, lookup: Lookup): unknown {
  const found = lookup(name.split('.'));
  if (!found.found) throw new UnresolvedReference(name);
  return found.value;
}

function inText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
