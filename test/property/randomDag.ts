// Random dags in which the ending of every node and the condition of every edge are fixed. Defines directly which nodes run.
import fc, { type Arbitrary } from 'fast-check';
import type { Dag, PlanNode } from '../../src/engine/plan.js';
import { planDag } from '../../src/engine/planRecipe.js';
import type { NodeRun, SettledEvent } from '../../src/engine/state.js';
import { noRecipe } from './planSpec.js';

export type NodeEnding = 'pass' | 'skip' | 'tolerated fail' | 'tolerated unknown';

/** `holds`: whether the condition of the edge holds. Every edge leads from a lower to a higher node number. */
export type DagEdge = { from: number; to: number; conditional: boolean; holds: boolean };

/** `order`: the order of the nodes in the document, which is independent of the edges. */
export type DagSpec = { endings: NodeEnding[]; edges: DagEdge[]; order: number[] };

const ending = fc.constantFrom<NodeEnding[]>('pass', 'pass', 'pass', 'skip', 'tolerated fail', 'tolerated unknown');

export const dagSpecs: Arbitrary<DagSpec> = fc.integer({ min: 1, max: 14 }).chain((size) => {
  const number = fc.nat(size - 1);
  const pair = fc.tuple(number, number, fc.boolean(), fc.boolean()).filter(([a, b]) => a !== b);
  const edge = pair.map(([a, b, conditional, holds]) => ({ from: Math.min(a, b), to: Math.max(a, b), conditional, holds }));
  return fc.record({
    endings: fc.array(ending, { minLength: size, maxLength: size }),
    edges: size === 1 ? fc.constant([]) : fc.array(edge, { maxLength: 2 * size, size: 'max' }),
    order: fc.shuffledSubarray(
      Array.from({ length: size }, (_, index) => index),
      { minLength: size },
    ),
  });
});

/** Returns whether a node runs: no edge leads to it, or at least one edge to it fires. */
export function shouldRun({ endings, edges }: DagSpec, node: number): boolean {
  const into = edges.filter(({ to }) => to === node);
  return into.length === 0 || into.some((edge) => fires({ endings, edges, order: [] }, edge));
}

function fires(dag: DagSpec, { from, conditional, holds }: DagEdge): boolean {
  return shouldRun(dag, from) && dag.endings[from] !== 'skip' && (!conditional || holds);
}

/** Returns the node and all nodes that edges reach from it. */
export function descendants({ edges }: Pick<DagSpec, 'edges'>, node: number): number[] {
  const after = edges.filter(({ from }) => from === node).flatMap(({ to }) => descendants({ edges }, to));
  return [...new Set([node, ...after])];
}

export const idOf = (node: number): string => `n${node}`;
export const numberOf = ({ node }: Pick<NodeRun, 'node'>): number => Number(node.id.slice(1));

export function buildDag({ endings, edges, order }: DagSpec): Dag {
  const nodes = order.map((node): [string, PlanNode] => {
    const onFail = endings[node]?.startsWith('tolerated') ? 'continue' : 'stop';
    return [idOf(node), { id: idOf(node), next: { kind: 'none' }, onFail, attempts: 1, recipe: noRecipe }];
  });
  return planDag(
    new Map(nodes),
    edges.map(({ from, to, conditional }) => ({ from: idOf(from), to: idOf(to), conditional })),
  );
}

/** Creates the event with which a node ends, with the edges whose condition holds. The engine ignores the edges of a skipped node. */
export function endEventOf({ endings, edges }: DagSpec, run: NodeRun): SettledEvent {
  const out = edges.filter(({ from }) => from === numberOf(run));
  const fired = out.flatMap(({ conditional, holds }, index) => (conditional && holds ? [index] : []));
  const status = (endings[numberOf(run)] ?? 'pass').replace('tolerated ', '') as SettledEvent['status'];
  return { t: 'settled', path: run.path, status, fired };
}
