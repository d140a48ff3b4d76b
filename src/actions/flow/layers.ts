// Computes the layer of each node in a graph: one more than the highest layer of the nodes with a link to it.
export type Link = { from: string; to: string };

export type Layers = { layerOf: ReadonlyMap<string, number>; hasLoop: boolean };

/** Ignores links that close a loop. Finds them as the engine does: depth first from the roots, in document order. */
export function layersOf(ids: readonly string[], links: readonly Link[]): Layers {
  const successors = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of links) successors.get(from)?.push(to);
  const targets = new Set(links.map(({ to }) => to));
  const { order, loopTargets } = visitDepthFirst([...ids.filter((id) => !targets.has(id)), ...ids], successors);
  const layerOf = new Map<string, number>(ids.map((id) => [id, 0]));
  for (const id of order) {
    for (const to of successors.get(id) ?? []) {
      if (!loopTargets.get(id)?.has(to)) layerOf.set(to, Math.max(layerOf.get(to) ?? 0, (layerOf.get(id) ?? 0) + 1));
    }
  }
  return { layerOf, hasLoop: loopTargets.size > 0 };
}

/** `order`: every node comes before its successors. `loopTargets`: for each node, the successors whose link closes a loop. */
function visitDepthFirst(
  starts: readonly string[],
  successors: ReadonlyMap<string, readonly string[]>,
): { order: string[]; loopTargets: Map<string, Set<string>> } {
  const states = new Map<string, 'open' | 'closed'>();
  const closed: string[] = [];
  const loopTargets = new Map<string, Set<string>>();
  for (const start of starts) {
    if (states.has(start)) continue;
    states.set(start, 'open');
    const stack = [{ id: start, next: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const to = successors.get(top.id)?.[top.next++];
      if (to === undefined) {
        states.set(top.id, 'closed');
        closed.push(top.id);
        stack.pop();
      } else if (states.get(to) === 'open') loopTargets.set(top.id, (loopTargets.get(top.id) ?? new Set()).add(to));
      else if (!states.has(to)) {
        states.set(to, 'open');
        stack.push({ id: to, next: 0 });
      }
    }
  }
  return { order: closed.reverse(), loopTargets };
}

/** Returns the ids along a loop, the first id also at the end. Undefined when the links form no loop. */
export function findLoop(ids: readonly string[], links: readonly Link[]): string[] | undefined {
  const remaining = pruneDeadEnds(ids, links);
  const next = new Map<string, string>();
  for (const { from, to } of links) if (remaining.has(from) && remaining.has(to) && !next.has(from)) next.set(from, to);
  const [first] = remaining;
  if (first === undefined) return undefined;
  const positions = new Map<string, number>();
  let id = first;
  for (; !positions.has(id); id = next.get(id) ?? first) positions.set(id, positions.size);
  return [...[...positions.keys()].slice(positions.get(id)), id];
}

/** Removes nodes without a link to a remaining node, repeatedly, until every remaining node has such a link. */
function pruneDeadEnds(ids: readonly string[], links: readonly Link[]): Set<string> {
  const remaining = new Set(ids);
  const outgoing = new Map<string, number>(ids.map((id) => [id, 0]));
  const sources = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of links) {
    if (!remaining.has(from) || !remaining.has(to)) continue;
    outgoing.set(from, (outgoing.get(from) ?? 0) + 1);
    sources.get(to)?.push(from);
  }
  const ends = ids.filter((id) => outgoing.get(id) === 0);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    remaining.delete(end);
    for (const from of sources.get(end) ?? []) {
      const others = (outgoing.get(from) ?? 0) - 1;
      outgoing.set(from, others);
      if (others === 0) ends.push(from);
    }
  }
  return remaining;
}
