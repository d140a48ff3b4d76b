import { isAbsolute, resolve, sep } from 'node:path';

/** Resolves a relative path. Undefined when it would leave `root` on this or any other system. */
export function resolveInside(root: string, path: string): string | undefined {
  if (isAbsolute(path) || /^[A-Za-z]:|^\\|\0/.test(path) || path.split(/[\\/]/).includes('..')) return undefined;
  const [base, full] = [resolve(root), resolve(root, path)];
  return full === base || full.startsWith(base.endsWith(sep) ? base : base + sep) ? full : undefined;
}
