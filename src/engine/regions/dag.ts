// A graph of edges: a node runs when all its forward parents are settled and at least one edge to it fired, else it is skipped.
// A fired back edge unsettles its target and everything that follows from it, once nothing of that is in flight.

import type { Dag, Edge } from '../plan.js';
import { joinPath } from '../runPath.js';
import type { Cursor, Frame, RegionBehavior, RunState, SettledEvent, Task } from '../state.js';
import { startNode } from '../state.js';

type Memo = {
  phase: Map<string, 'waiting' | 'running' | 'settled'>;
  fired: Set<Edge>;
  /** Targets of back edges that fired and wait for what follows them to come to rest. */
  resets: string[];
  /** How many nodes of each layer are not settled. */
  open: number[];
};

export const dag: RegionBehavior = {
  open(state, frame) {
    const { nodes, layers } = regionOf(frame);
    const phase = new Map([...nodes.keys()].map((id) => [id, 'waiting' as const]));
    const open = layers?.ids.map(({ length }) => length) ?? [];
    frame.memo = { phase, fired: new Set(), resets: [], open } satisfies Memo;
    return advance(state, frame, regionOf(frame).nodes.keys());
  },

  settle(state, frame, child, event) {
    const memo = memoOf(frame);
    markSettled(frame, child.node.id);
    for (const edge of firedEdges(regionOf(frame), child, event)) {
      if (!edge.back) memo.fired.add(edge);
      else if (!memo.resets.includes(edge.to)) memo.resets.push(edge.to);
    }
    return [...applyResets(state, frame), ...advance(state, frame, followers(frame, child.node.id))];
  },
};

function firedEdges(region: Dag, child: Cursor, event: SettledEvent): Edge[] {
  if (event.status === 'skip') return [];
  const out = region.out.get(child.node.id) ?? [];
  return out.filter((edge, index) => !edge.conditional || event.fired?.includes(index));
}

function applyResets(state: RunState, frame: Frame): Task[] {
  const memo = memoOf(frame);
  const tasks: Task[] = [];
  const reach = (target: string): Set<string> => withDescendants(regionOf(frame), target);
  const blockedIds = new Set<string>();
  // Of two loops that begin again at once the outer one counts: it takes the inner one with it, or makes it wait.
  for (const target of [...memo.resets].sort((a, b) => reach(b).size - reach(a).size)) {
    if (!memo.resets.includes(target) || blockedIds.has(target)) continue;
    const affected = reach(target);
    if ([...affected].some((id) => memo.phase.get(id) === 'running')) {
      for (const id of affected) blockedIds.add(id);
      continue;
    }
    memo.resets = memo.resets.filter((id) => !affected.has(id));
    for (const id of affected) memo.phase.set(id, 'waiting');
    for (const edge of memo.fired) if (affected.has(edge.from)) memo.fired.delete(edge);
    tasks.push(...start(state, frame, target));
  }
  return tasks;
}

// A skipped node settles at once, so the nodes after it are looked at in the same pass.
function advance(state: RunState, frame: Frame, candidates: Iterable<string>): Task[] {
  const memo = memoOf(frame);
  const tasks: Task[] = [];
  const blockedIds = new Set(memo.resets.flatMap((target) => [...withDescendants(regionOf(frame), target)]));
  const queue = [...candidates];
  for (let id = queue.shift(); id !== undefined && !frame.stopped && !state.ending; id = queue.shift()) {
    if (memo.phase.get(id) !== 'waiting' || blockedIds.has(id) || waitsForLayer(frame, id)) continue;
    const into = (regionOf(frame).into.get(id) ?? []).filter((edge) => !edge.back);
    if (into.some((edge) => memo.phase.get(edge.from) !== 'settled')) continue;
    const runs = into.length === 0 || into.some((edge) => memo.fired.has(edge));
    tasks.push(...(runs ? start(state, frame, id) : skip(frame, id)));
    if (!runs) for (const follower of followers(frame, id)) queue.push(follower);
  }
  return tasks;
}

/** What may begin when this node is settled. Before its layer has ended, nothing that it leads to can. */
function followers(frame: Frame, id: string): readonly string[] {
  const { out, layers } = regionOf(frame);
  const layer = layers?.of.get(id);
  if (layer === undefined) return (out.get(id) ?? []).map((edge) => edge.to);
  return memoOf(frame).open[layer] === 0 ? (layers?.ids[layer + 1] ?? []) : [];
}

function waitsForLayer(frame: Frame, id: string): boolean {
  const layer = regionOf(frame).layers?.of.get(id) ?? 0;
  return layer > 0 && memoOf(frame).open[layer - 1] !== 0;
}

function markSettled(frame: Frame, id: string): void {
  const { phase, open } = memoOf(frame);
  const layer = regionOf(frame).layers?.of.get(id);
  if (layer !== undefined && phase.get(id) !== 'settled') open[layer] = (open[layer] ?? 0) - 1;
  phase.set(id, 'settled');
}

function start(state: RunState, frame: Frame, id: string): Task[] {
  const node = regionOf(frame).nodes.get(id);
  memoOf(frame).phase.set(id, 'running');
  return node ? startNode(state, frame, node) : [];
}

function skip(frame: Frame, id: string): Task[] {
  const node = regionOf(frame).nodes.get(id);
  markSettled(frame, id);
  if (!node) return [];
  const visit = (frame.visits.get(id) ?? 0) + 1;
  frame.visits.set(id, visit);
  const path = joinPath(frame.owner?.path, { id, visit, attempt: 0 });
  const run = { path, node, visit, attempt: 0, ...(frame.owner ? { parent: frame.owner.path } : {}) };
  return [{ do: 'skip', run, reason: 'no edge to it fired' }];
}

/** The target and what forward edges reach from it. */
function withDescendants(region: Dag, target: string): Set<string> {
  const reached = new Set([target]);
  for (const id of reached) {
    for (const edge of region.out.get(id) ?? []) if (!edge.back) reached.add(edge.to);
  }
  return reached;
}

function memoOf(frame: Frame): Memo {
  return frame.memo as Memo;
}

function regionOf(frame: Frame): Dag {
  return frame.region as Dag;
}
