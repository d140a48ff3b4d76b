// `{{ name }}` in the configuration of a node: alone it is the value itself, in a text it is written out, unknown it stays as it is.
import { textOf } from './pythonValue.js';
import { findPath, type RuntimeValues } from './values.js';

const reference = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*)\s*\}\}/g;

/** The paths that a value refers to. */
export function variablesIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(reference)].map(([, path = '']) => path);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(variablesIn) : [];
}

export function expandVariables(value: unknown, values: RuntimeValues): unknown {
  if (typeof value === 'string') return expandText(value, values);
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandVariables(item, values)]));
}

function expandText(text: string, values: RuntimeValues): unknown {
  const [only] = text.matchAll(reference);
  if (only && only[0].length === text.trim().length) {
    const found = findPath(values, only[1] ?? '');
    return found.found ? found.value : text;
  }
  return text.replace(reference, (written, path: string) => {
    const found = findPath(values, path);
    return found.found ? textOf(found.value) : written;
  });
}
