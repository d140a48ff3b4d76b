import { isAbsolute, resolve, sep } from 'node:path';

/** Resolves a relative path. Returns undefined for a path that would leave `root` on any operating system. */
export function resolveInside(root: string, path: string): string | undefined {
  if (isAbsolute(path) || /^[A-Za-z]:|^\\|\0/.test(path) || path.split(/[\\/]/).includes('..')) return undefined;
  const [base, full] = [resolve(root), resolve(root, path)];
  return full === base || full.startsWith(base.endsWith(sep) ? base : base + sep) ? full : undefined;
}
