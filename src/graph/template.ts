// `{{params.a.b}}`, `{{inputs.x}}` and the flat `{{x}}`: a whole-string reference keeps its type, a result is never expanded again.
import type { Found } from './path.js';

const reference = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;

/** A fresh pattern for whoever needs the places of the references. */
export function referencePattern(): RegExp {
  return new RegExp(reference);
}

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

const none: readonly string[] = [];

export function referencesIn(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return value.includes('{{') ? [...value.matchAll(reference)].map((match) => match[1] ?? '') : none;
  if (typeof value !== 'object' || value === null) return none;
  const found = Object.values(value)
    .map(referencesIn)
    .filter((names) => names.length > 0);
  return found.length === 0 ? none : found.flat();
}

function expandText(text: string, lookup: Lookup): unknown {
  const whole = /^\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}$/.exec(text);
  if (whole?.[1]) return resolveReference(whole[1], lookup);
  return text.replace(reference, (_, name: string) => {
    return inText(resolveReference(name, lookup));
  });
}

export function resolveReference(name: string, lookup: Lookup): unknown {
  const found = lookup(name.split('.'));
  if (!found.found) throw new UnresolvedReference(name);
  return found.value;
}

function inText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
