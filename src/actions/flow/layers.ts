// In which layer of a topology each node stands: one more than the deepest of the nodes that lead to it.
export type Link = { from: string; to: string };

export type Layers = { layerOf: ReadonlyMap<string, number>; hasLoop: boolean };

/** Edges that close a loop do not count, found as the engine finds them: depth first from the roots in document order. */
export function layersOf(ids: readonly string[], links: readonly Link[]): Layers {
  const out = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of links) out.get(from)?.push(to);
  const targets = new Set(links.map(({ to }) => to));
  const { order, isBack } = visitDepthFirst([...ids.filter((id) => !targets.has(id)), ...ids], out);
  const layerOf = new Map<string, number>(ids.map((id) => [id, 0]));
  for (const id of order) {
    for (const to of out.get(id) ?? []) {
      if (!isBack.get(id)?.has(to)) layerOf.set(to, Math.max(layerOf.get(to) ?? 0, (layerOf.get(id) ?? 0) + 1));
    }
  }
  return { layerOf, hasLoop: isBack.size > 0 };
}

/** `order` has every node before those it leads to. */
function visitDepthFirst(
  starts: readonly string[],
  out: ReadonlyMap<string, readonly string[]>,
): { order: string[]; isBack: Map<string, Set<string>> } {
  const seen = new Map<string, 'open' | 'closed'>();
  const closed: string[] = [];
  const isBack = new Map<string, Set<string>>();
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
      } else if (seen.get(to) === 'open') isBack.set(top.id, (isBack.get(top.id) ?? new Set()).add(to));
      else if (!seen.has(to)) {
        seen.set(to, 'open');
        stack.push({ id: to, next: 0 });
      }
    }
  }
  return { order: closed.reverse(), isBack };
}

/** The loop that these links make, as the ids along it; undefined when they make none. */
export function findLoop(ids: readonly string[], links: readonly Link[]): string[] | undefined {
  const left = pruneDeadEnds(ids, links);
  const next = new Map<string, string>();
  for (const { from, to } of links) if (left.has(from) && left.has(to) && !next.has(from)) next.set(from, to);
  const [first] = left;
  if (first === undefined) return undefined;
  const positions = new Map<string, number>();
  let id = first;
  for (; !positions.has(id); id = next.get(id) ?? first) positions.set(id, positions.size);
  return [...[...positions.keys()].slice(positions.get(id)), id];
}

/** Takes away whatever leads nowhere, and then whatever led only there, until each node that is left leads to another one. */
function pruneDeadEnds(ids: readonly string[], links: readonly Link[]): Set<string> {
  const left = new Set(ids);
  const outgoing = new Map<string, number>(ids.map((id) => [id, 0]));
  const sources = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of links) {
    if (!left.has(from) || !left.has(to)) continue;
    outgoing.set(from, (outgoing.get(from) ?? 0) + 1);
    sources.get(to)?.push(from);
  }
  const ends = ids.filter((id) => outgoing.get(id) === 0);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    left.delete(end);
    for (const from of sources.get(end) ?? []) {
      const others = (outgoing.get(from) ?? 0) - 1;
      outgoing.set(from, others);
      if (others === 0) ends.push(from);
    }
  }
  return left;
}
