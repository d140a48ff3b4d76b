// A plan as plain JSON, which fast-check can print and shrink, and functions that turn it into a region.

import type { Next, Nodes, PlanNode, Region } from '../../src/engine/plan.js';
import { planDag } from '../../src/engine/planRecipe.js';
import type { RecipeNode, Status } from '../../src/recipe/recipe.js';

export type OnFail = PlanNode['onFail'];

/** Targets are positions in the region. A number that is too high wraps around. */
export type NextSpec = { to: number } | { cases: number[] } | { end: Status } | { none: true };

export type NodeSpec = { onFail: OnFail; attempts: number; next: NextSpec; recover: NodeSpec | null; body: RegionSpec | null };

export type EdgeSpec = { from: number; to: number; conditional: boolean };

export type RegionSpec =
  | { kind: 'walk'; nodes: NodeSpec[] }
  | { kind: 'all'; nodes: NodeSpec[]; inTurn: boolean; pipe: boolean; limit: number }
  | { kind: 'each'; child: NodeSpec; limit: number }
  | { kind: 'dag'; nodes: NodeSpec[]; edges: EdgeSpec[] };

/** Every region uses the same ids, because only the run path may distinguish two runs. */
export function buildRegion(spec: RegionSpec): Region {
  if (spec.kind === 'each') return { kind: 'each', child: buildNode(spec.child, 'n0', 1), limit: spec.limit };
  const size = spec.nodes.length;
  const nodes: Nodes = new Map(
    spec.nodes.map((node, index) => [nodeId(index, size), buildNode(node, nodeId(index, size), size)]),
  );
  if (spec.kind === 'walk') return { kind: 'walk', entry: nodeId(0, size), nodes };
  if (spec.kind === 'all') return { kind: 'all', nodes, inTurn: spec.inTurn, pipe: spec.pipe, limit: spec.limit };
  const edges = spec.edges.map(({ from, to, conditional }) => ({ from: nodeId(from, size), to: nodeId(to, size), conditional }));
  return planDag(nodes, edges);
}

export const noRecipe: RecipeNode = {
  id: '',
  pointer: '',
  section: 'graph',
  action: 'none',
  onFail: 'stop',
  bindings: new Map(),
  fields: {},
};

function nodeId(index: number, size: number): string {
  return `n${index % size}`;
}

function buildNode(spec: NodeSpec, id: string, size: number): PlanNode {
  const { onFail, attempts } = spec;
  const node: PlanNode = { id, onFail, attempts, next: buildNext(spec.next, size), recipe: noRecipe };
  if (spec.recover) node.recover = buildNode(spec.recover, 'r', 1);
  if (spec.body) node.body = buildRegion(spec.body);
  return node;
}

function buildNext(spec: NextSpec, size: number): Next {
  if ('to' in spec) return { kind: 'to', id: nodeId(spec.to, size) };
  if ('end' in spec) return { kind: 'end', status: spec.end };
  if ('none' in spec) return { kind: 'none' };
  const cases = spec.cases.map((target, index) => [index === 0 ? 'default' : `case${index}`, nodeId(target, size)] as const);
  return { kind: 'cases', cases: new Map(cases) };
}
