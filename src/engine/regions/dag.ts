// The `dag` region: a node runs when all its forward parents have settled and at least one edge to it fired, else it is skipped.
// A back edge that fired resets its target and everything after the target, as soon as none of those nodes is running.

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
  /** Targets of back edges that fired. They wait until no node after them is running. */
  resets: string[];
  /** How many nodes of each layer have not settled. */
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
  // When two loops restart at once, the outer one goes first: it includes the inner one, or makes it wait.
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

// A skipped node settles at once, so the nodes after it are considered in the same pass.
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

/** The nodes that may start now that this one has settled: in a layered graph, none until its layer has ended. */
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

/** The target and every node that forward edges reach from it. */
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
