// A run path identifies one execution of a node: `call/child[3]#2@1` is item 3, the second visit, the first retry.

export type PathStep = { id: string; item?: number | undefined; visit: number; attempt: number };

export function formatStep({ id, item, visit, attempt }: PathStep): string {
  if (visit === 1 && attempt === 0 && item === undefined) return id;
  return `${id}${item === undefined ? '' : `[${item}]`}${visit > 1 ? `#${visit}` : ''}${attempt > 0 ? `@${attempt}` : ''}`;
}

export function joinPath(parent: string | undefined, step: PathStep): string {
  return parent ? `${parent}/${formatStep(step)}` : formatStep(step);
}

/** Returns the entry of the nearest ancestor of a run path that `open` contains. */
export function findOpenAncestor<T>(path: string, open: ReadonlyMap<string, T>): T | undefined {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const found = open.get(path.slice(0, at));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the run path without the retry of its last step, which is the same for all attempts of a visit. */
export function withoutAttempt(path: string): string {
  return path.replace(/@\d+$/, '');
}
