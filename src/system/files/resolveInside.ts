import { isAbsolute, resolve, sep } from 'node:path';

/** The absolute path of a relative one, or undefined when it would leave `root`, on this system or on another. */
export function resolveInside(root: string, path: string): string | undefined {
  if (isAbsolute(path) || /^[A-Za-z]:|^\\|\0/.test(path) || path.split(/[\\/]/).includes('..')) return undefined;
  const [base, full] = [resolve(root), resolve(root, path)];
  return full === base || full.startsWith(base.endsWith(sep) ? base : base + sep) ? full : undefined;
}
