// What a recipe node hands to the recipe it runs, and takes back.
import type { Found } from '../../engine/path.js';
import type { DataMapping, Mapping } from './manifest.js';
import { findPath, findReference, isReference, type RuntimeValues } from './values.js';

/** `from key: to key`; an object names where the value of its key comes from. What is not there is left out: schemas say whether it must be. */
export function mapValues(mapping: Mapping, values: RuntimeValues): Record<string, unknown> {
  const mapped = Object.entries(mapping).flatMap(([key, to]): [string, unknown][] => {
    const [name, found] = typeof to === 'string' ? [to, findPath(values, key)] : [key, sourced(to, values)];
    return found.found ? [[name, found.value]] : [];
  });
  return Object.fromEntries(mapped);
}

function sourced({ source, strategy }: DataMapping, values: RuntimeValues): Found {
  if (strategy === 'literal') return { found: true, value: source };
  if (strategy === 'direct') return findPath(values, source);
  const path = source.startsWith('$') ? source : `$.${source}`;
  return isReference(path) ? findReference(values, path) : { found: false };
}
