// How far down each node stands: below everything that leads to it, with the edges that close loops left out.
import type { BoardEdge } from './board.js';

export type Ranked = { ranks: Map<string, number>; back: ReadonlySet<BoardEdge> };

/** `keys` in the order in which they are to be looked at; the first is where it begins. */
export function rankNodes(keys: readonly string[], edges: readonly BoardEdge[]): Ranked {
  const out = new Map<string, BoardEdge[]>(keys.map((key) => [key, []]));
  for (const edge of edges) out.get(edge.from)?.push(edge);
  const { back, order } = depthFirst(keys, out);
  const ranks = new Map(keys.map((key) => [key, 0]));
  for (const key of order) {
    for (const edge of out.get(key) ?? []) {
      if (!back.has(edge)) ranks.set(edge.to, Math.max(ranks.get(edge.to) ?? 0, (ranks.get(key) ?? 0) + 1));
    }
  }
  return { ranks, back };
}

// Without recursion: a chain may be longer than a stack is deep.
function depthFirst(keys: readonly string[], out: ReadonlyMap<string, readonly BoardEdge[]>) {
  const back = new Set<BoardEdge>();
  const state = new Map<string, 'open' | 'done'>();
  const finished: string[] = [];
  for (const start of keys) {
    const stack = state.has(start) ? [] : [{ key: start, at: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1) as { key: string; at: number };
      state.set(top.key, 'open');
      const edge = out.get(top.key)?.[top.at++];
      if (!edge) {
        state.set(top.key, 'done');
        finished.push(top.key);
        stack.pop();
      } else if (state.get(edge.to) === 'open') back.add(edge);
      else if (!state.has(edge.to)) stack.push({ key: edge.to, at: 0 });
    }
  }
  return { back, order: finished.reverse() };
}
