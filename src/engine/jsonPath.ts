// Reads the paths of recipes: `$`, `$.a.b`, `$.a[0]`, `$['odd key']`. A path reaches only own properties.

export type PathResult = { found: true; value: unknown } | { found: false };

/** Keys that may not occur in a path, a reference or the name of an input. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const segment = /\.([^.[\]'"\s]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** A cache, because a recipe reads the same few paths many times. */
const parsedPaths = new Map<string, readonly string[] | undefined>();
const maxParsedPaths = 500;

/** Returns the keys of a path, or undefined when the string is not a path. */
export function parsePath(path: string): readonly string[] | undefined {
  if (path === '$') return root;
  if (parsedPaths.has(path)) return parsedPaths.get(path);
  if (parsedPaths.size >= maxParsedPaths) parsedPaths.clear();
  const keys = parseKeys(path);
  parsedPaths.set(path, keys);
  return keys;
}

const root: readonly string[] = [];

function parseKeys(path: string): string[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const keys: string[] = [];
  segment.lastIndex = 1;
  while (segment.lastIndex < path.length) {
    const match = segment.exec(path);
    if (!match) return undefined;
    const key = match[1] ?? match[2] ?? (match[3] ?? match[4] ?? '').replace(/\\(.)/g, '$1');
    if (forbiddenKeys.has(key)) return undefined;
    keys.push(key);
  }
  return keys;
}

export function readPath(root: unknown, path: string): PathResult {
  const keys = parsePath(path);
  return keys ? readKeys(root, keys) : { found: false };
}

export function readKeys(root: unknown, keys: readonly string[]): PathResult {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return { found: false };
    if (Array.isArray(value) && !/^\d+$/.test(key)) return { found: false };
    value = (value as Record<string, unknown>)[key];
  }
  return value === undefined ? { found: false } : { found: true, value };
}
