// In which layer of a topology each node stands: one more than the deepest of the nodes that lead to it.
export type Link = { from: string; to: string };

export type Layers = { of: ReadonlyMap<string, number>; hasLoop: boolean };

/** Edges that close a loop do not count, found as the engine finds them: depth first from the roots in document order. */
export function layersOf(ids: readonly string[], links: readonly Link[]): Layers {
  const out = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of links) out.get(from)?.push(to);
  const targets = new Set(links.map(({ to }) => to));
  const { order, back } = visitAll([...ids.filter((id) => !targets.has(id)), ...ids], out);
  const of = new Map<string, number>(ids.map((id) => [id, 0]));
  for (const id of order) {
    for (const to of out.get(id) ?? []) {
      if (!back.has(`${id}\n${to}`)) of.set(to, Math.max(of.get(to) ?? 0, (of.get(id) ?? 0) + 1));
    }
  }
  return { of, hasLoop: back.size > 0 };
}

/** `order` has every node before those it leads to. */
function visitAll(
  starts: readonly string[],
  out: ReadonlyMap<string, readonly string[]>,
): { order: string[]; back: Set<string> } {
  const seen = new Map<string, 'open' | 'closed'>();
  const closed: string[] = [];
  const back = new Set<string>();
  for (const start of starts) {
    if (seen.has(start)) continue;
    seen.set(start, 'open');
    const stack = [{ id: start, next: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const to = out.get(top.id)?.[top.next++];
      if (to === undefined) {
        seen.set(top.id, 'closed');
        closed.push(top.id);
        stack.pop();
      } else if (seen.get(to) === 'open') back.add(`${top.id}\n${to}`);
      else if (!seen.has(to)) {
        seen.set(to, 'open');
        stack.push({ id: to, next: 0 });
      }
    }
  }
  return { order: closed.reverse(), back };
}

/** The loop that these links make, as the ids along it; undefined when they make none. */
export function loopIn(ids: readonly string[], links: readonly Link[]): string[] | undefined {
  const left = new Set(ids);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const id of left) if (!links.some(({ from, to }) => from === id && left.has(to))) left.delete(id);
  }
  const [first] = left;
  if (first === undefined) return undefined;
  const way = [first];
  for (;;) {
    const next = links.find(({ from, to }) => from === way.at(-1) && left.has(to))?.to ?? first;
    const known = way.indexOf(next);
    if (known !== -1) return [...way.slice(known), next];
    way.push(next);
  }
}
