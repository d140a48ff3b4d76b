// The `dag` region: a node waits until all sources of its forward edges have settled. It runs if at least one of these edges fired;
// otherwise it is skipped. A back edge that fired resets its target and all nodes after the target, as soon as none of them is running.

import type { Dag, Edge } from '../plan.js';
import { joinPath } from '../runPath.js';
import {
  type Cursor,
  type Frame,
  type NodeRun,
  type RegionBehavior,
  type RunState,
  type SettledEvent,
  startNode,
  type Task,
} from '../state.js';

type Memo = {
  phase: Map<string, 'waiting' | 'running' | 'settled'>;
  fired: Set<Edge>;
  /** The targets of back edges that fired. Each waits until no node after it is running. */
  resets: string[];
  /** The number of nodes of each layer that have not settled. */
  unsettled: number[];
};

export const dag: RegionBehavior = {
  open(state, frame) {
    const { nodes, layers } = regionOf(frame);
    const phase = new Map([...nodes.keys()].map((id) => [id, 'waiting' as const]));
    const unsettled = layers?.ids.map(({ length }) => length) ?? [];
    frame.memo = { phase, fired: new Set(), resets: [], unsettled } satisfies Memo;
    return advance(state, frame, regionOf(frame).nodes.keys());
  },

  continueAfter(state, frame, child, event) {
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
  const affectedBy = (target: string): Set<string> => withDescendants(regionOf(frame), target);
  const blockedIds = new Set<string>();
  // When two loops restart at once, the outer loop comes first. It contains the inner loop, or makes it wait.
  for (const target of [...memo.resets].sort((a, b) => affectedBy(b).size - affectedBy(a).size)) {
    if (!memo.resets.includes(target) || blockedIds.has(target)) continue;
    const affected = affectedBy(target);
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

// A skipped node settles immediately, so the same pass also considers the nodes after it.
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

/** Returns the nodes that may start after a node has settled. With layers, these are the nodes of the next layer, once the layer has ended. */
function followers(frame: Frame, id: string): readonly string[] {
  const { out, layers } = regionOf(frame);
  const layer = layers?.of.get(id);
  if (layer === undefined) return (out.get(id) ?? []).map((edge) => edge.to);
  return memoOf(frame).unsettled[layer] === 0 ? (layers?.ids[layer + 1] ?? []) : [];
}

function waitsForLayer(frame: Frame, id: string): boolean {
  const layer = regionOf(frame).layers?.of.get(id) ?? 0;
  return layer > 0 && memoOf(frame).unsettled[layer - 1] !== 0;
}

function markSettled(frame: Frame, id: string): void {
  const { phase, unsettled } = memoOf(frame);
  const layer = regionOf(frame).layers?.of.get(id);
  if (layer !== undefined && phase.get(id) !== 'settled') unsettled[layer] = (unsettled[layer] ?? 0) - 1;
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
  const run: NodeRun = { path, node, visit, attempt: 0 };
  if (frame.owner) run.parent = frame.owner.path;
  return [{ do: 'skip', run, reason: 'no edge to it fired' }];
}

/** Returns the target and every node that forward edges reach from the target. */
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
