import { rmSync } from 'node:fs';

/** For folders that only this program writes to, below its own cache. */
export function removeOwnTree(dir: string): void {
  if (!/[\\/]\.cache[\\/]recipewright[\\/]/.test(dir)) throw new Error(`${dir} is no folder of recipewright's cache.`);
  rmSync(dir, { recursive: true, force: true });
}
