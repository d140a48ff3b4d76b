// Random dags whose nodes and edges have a fixed fate, and the rules of a dag as one direct definition over the list of edges.
import fc, { type Arbitrary } from 'fast-check';
import type { Dag, PlanNode } from '../../src/engine/plan.js';
import { planDag } from '../../src/engine/planRecipe.js';
import type { NodeRun, SettledEvent } from '../../src/engine/state.js';
import { noRecipe } from './planSpec.js';

export type Fate = 'pass' | 'skip' | 'tolerated fail' | 'tolerated unknown';

/** `holds`: what the runner says of the condition. Node numbers grow along every edge. */
export type DagEdge = { from: number; to: number; conditional: boolean; holds: boolean };

/** `order` is the document order of the nodes, which says nothing about the edges. */
export type DagSpec = { fates: Fate[]; edges: DagEdge[]; order: number[] };

const fate = fc.constantFrom<Fate[]>('pass', 'pass', 'pass', 'skip', 'tolerated fail', 'tolerated unknown');

export const dagSpecs: Arbitrary<DagSpec> = fc.integer({ min: 1, max: 14 }).chain((size) => {
  const number = fc.nat(size - 1);
  const pair = fc.tuple(number, number, fc.boolean(), fc.boolean()).filter(([a, b]) => a !== b);
  const edge = pair.map(([a, b, conditional, holds]) => ({ from: Math.min(a, b), to: Math.max(a, b), conditional, holds }));
  return fc.record({
    fates: fc.array(fate, { minLength: size, maxLength: size }),
    edges: size === 1 ? fc.constant([]) : fc.array(edge, { maxLength: 2 * size, size: 'max' }),
    order: fc.shuffledSubarray(
      Array.from({ length: size }, (_, index) => index),
      { minLength: size },
    ),
  });
});

/** A node runs when nothing leads to it, or when at least one edge to it fires. */
export function runs({ fates, edges }: DagSpec, node: number): boolean {
  const into = edges.filter(({ to }) => to === node);
  return into.length === 0 || into.some((edge) => fires({ fates, edges, order: [] }, edge));
}

function fires(dag: DagSpec, { from, conditional, holds }: DagEdge): boolean {
  return runs(dag, from) && dag.fates[from] !== 'skip' && (!conditional || holds);
}

/** The node and all that edges lead to from it. */
export function descendants({ edges }: Pick<DagSpec, 'edges'>, node: number): number[] {
  const after = edges.filter(({ from }) => from === node).flatMap(({ to }) => descendants({ edges }, to));
  return [...new Set([node, ...after])];
}

export const idOf = (node: number): string => `n${node}`;
export const numberOf = ({ node }: Pick<NodeRun, 'node'>): number => Number(node.id.slice(1));

export function buildDag({ fates, edges, order }: DagSpec): Dag {
  const nodes = order.map((node): [string, PlanNode] => {
    const onFail = fates[node]?.startsWith('tolerated') ? 'continue' : 'stop';
    return [idOf(node), { id: idOf(node), next: { kind: 'none' }, onFail, attempts: 1, recipe: noRecipe }];
  });
  return planDag(
    new Map(nodes),
    edges.map(({ from, to, conditional }) => ({ from: idOf(from), to: idOf(to), conditional })),
  );
}

/** How a run of a node ends: as its fate says, naming the edges whose condition holds. A skipped one names them in vain. */
export function fateOf({ fates, edges }: DagSpec, run: NodeRun): SettledEvent {
  const out = edges.filter(({ from }) => from === numberOf(run));
  const fired = out.flatMap(({ conditional, holds }, index) => (conditional && holds ? [index] : []));
  const status = (fates[numberOf(run)] ?? 'pass').replace('tolerated ', '') as SettledEvent['status'];
  return { t: 'settled', path: run.path, status, fired };
}
