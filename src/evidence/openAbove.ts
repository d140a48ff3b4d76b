/** What is open for the nearest node around a path that is still open. */
export function openAbove<T>(path: string, open: ReadonlyMap<string, T>): T | undefined {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const found = open.get(path.slice(0, at));
    if (found !== undefined) return found;
  }
  return undefined;
}
