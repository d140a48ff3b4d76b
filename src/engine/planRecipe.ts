// Turns a recipe into a plan of regions. `NodeRouting` tells where a node leads and which region is inside it, so this file needs no
// action names.

import type { Flow, PreCondition, Recipe, RecipeNode } from '../recipe/recipe.js';
import type { Limits } from './limits.js';
import type { Dag, Edge, Next, Nodes, Plan, PlanNode, Region } from './plan.js';

export type NodeRouting = {
  nextOf(node: RecipeNode): Next;
  bodyOf(node: RecipeNode, flows: ReadonlyMap<string, Flow>): BodyPlan | undefined;
};

export type BodyPlan =
  | { kind: 'walk'; entry: string; nodes: ReadonlyMap<string, RecipeNode> }
  | { kind: 'all'; nodes: ReadonlyMap<string, RecipeNode>; inTurn: boolean; pipe: boolean; limit: number }
  | { kind: 'each'; child: RecipeNode; limit: number }
  | {
      kind: 'dag';
      nodes: ReadonlyMap<string, RecipeNode>;
      edges: readonly { from: string; to: string; conditional: boolean }[];
      layers?: ReadonlyMap<string, number>;
    };

/** Thrown when flows call each other in a cycle or nest too deep. */
export class PlanError extends Error {
  constructor(
    readonly code: 'flow.call_cycle' | 'flow.call_depth',
    readonly pointer: string,
    message: string,
  ) {
    super(message);
  }
}

export function planRecipe(recipe: Recipe, routing: NodeRouting, limits: Limits): Plan {
  const planner = new Planner(recipe.flows, routing, limits);
  const beforeEntry = [...recipe.preConditions.map(preConditionNode), ...recipe.setup];
  if (recipe.startState) beforeEntry.push(recipe.startState);
  const nodes = new Map(planner.nodes(recipe.nodes));
  const firstNodes = linkNodes(
    beforeEntry.map((node) => planner.node(node)),
    recipe.entry,
  );
  for (const node of firstNodes) nodes.set(node.id, node);
  const main: Region = { kind: 'walk', entry: firstNodes[0]?.id ?? recipe.entry, nodes };
  if (recipe.teardown.length === 0) return { main, limits };
  return { main, teardown: planTeardown(recipe.teardown.map((node) => planner.node(node))), limits };
}

/** Creates the node that checks a precondition. In a recipe, a precondition is not a node, so the planner creates one. */
function preConditionNode(
  { id, params, required, pointer }: PreCondition,
  index: number,
  all: readonly PreCondition[],
): RecipeNode {
  const before = all.slice(0, index).filter((other) => other.id === id).length;
  return {
    id: `pre_conditions:${id}${before > 0 ? `#${before + 1}` : ''}`,
    pointer,
    section: 'preConditions',
    action: 'pre_condition',
    intent: `Check the precondition ${id}`,
    onFail: required ? 'stop' : 'continue',
    bindings: new Map(),
    fields: { id, params },
  };
}

// Every teardown node runs, even after one of them failed. The failure still counts for the verdict.
function planTeardown(nodes: readonly PlanNode[]): Region {
  return {
    kind: 'all',
    nodes: new Map(nodes.map((node) => [node.id, { ...node, onFail: 'continue' }])),
    inTurn: true,
    pipe: false,
    limit: 1,
  };
}

/** Makes each node lead to the next one, and the last one to `target`. */
function linkNodes(nodes: readonly PlanNode[], target: string): PlanNode[] {
  return nodes.map((node, index) => ({ ...node, next: { kind: 'to', id: nodes[index + 1]?.id ?? target } }));
}

class Planner {
  private readonly planned = new Map<unknown, { region: Region; longestCalls: readonly string[] }>();
  /** The longest chain of calls below the node that is being planned. */
  private longestCalls: readonly string[] = [];
  private readonly open: string[] = [];

  constructor(
    private readonly flows: ReadonlyMap<string, Flow>,
    private readonly routing: NodeRouting,
    private readonly limits: Limits,
  ) {}

  nodes(nodes: ReadonlyMap<string, RecipeNode>): Nodes {
    const planned = new Map<string, PlanNode>();
    for (const [id, node] of nodes) planned.set(id, this.node(node));
    return planned;
  }

  node(recipe: RecipeNode): PlanNode {
    const body = this.body(recipe);
    const recover = recipe.retry?.recover;
    // For the engine, `note` is the same as `continue`. The journal and the verdict read `note` from the recipe and count the failure.
    const onFail = recipe.onFail === 'note' ? 'continue' : recipe.onFail;
    const node: PlanNode = { id: recipe.id, next: this.routing.nextOf(recipe), onFail, attempts: recipe.retry?.max ?? 1, recipe };
    if (body) node.body = body;
    if (recover) node.recover = this.node(recover);
    return node;
  }

  private body(recipe: RecipeNode): Region | undefined {
    const bodyPlan = this.routing.bodyOf(recipe, this.flows);
    if (!bodyPlan) return undefined;
    const key = bodyPlan.kind === 'walk' ? bodyPlan.nodes : bodyPlan;
    const name = String(recipe.fields.ref ?? recipe.pointer);
    const known = this.planned.get(key);
    if (known) {
      this.refuseTooDeep(recipe, [...this.open, ...known.longestCalls]);
      this.keepLongest([name, ...known.longestCalls.slice(1)]);
      return known.region;
    }
    this.refuseCycle(recipe, name);
    this.open.push(name);
    const outer = this.longestCalls;
    this.longestCalls = [];
    const region = this.region(bodyPlan);
    this.open.pop();
    const longestCalls = [name, ...this.longestCalls];
    this.planned.set(key, { region, longestCalls });
    this.longestCalls = outer;
    this.keepLongest(longestCalls);
    return region;
  }

  private region(bodyPlan: BodyPlan): Region {
    if (bodyPlan.kind === 'each') return { ...bodyPlan, child: this.node(bodyPlan.child) };
    const nodes = this.nodes(bodyPlan.nodes);
    return bodyPlan.kind === 'dag' ? planDag(nodes, bodyPlan.edges, bodyPlan.layers) : { ...bodyPlan, nodes };
  }

  private refuseCycle({ pointer }: RecipeNode, name: string): void {
    if (this.open.includes(name)) {
      throw new PlanError(
        'flow.call_cycle',
        pointer,
        `The flows call each other in a cycle: ${[...this.open, name].join(' → ')}.`,
      );
    }
    this.refuseTooDeep({ pointer }, [...this.open, name]);
  }

  private refuseTooDeep({ pointer }: Pick<RecipeNode, 'pointer'>, calls: readonly string[]): void {
    const { callDepth } = this.limits;
    if (calls.length <= callDepth) return;
    throw new PlanError('flow.call_depth', pointer, `Calls nest deeper than ${callDepth}: ${calls.join(' → ')}.`);
  }

  private keepLongest(calls: readonly string[]): void {
    if (calls.length > this.longestCalls.length) this.longestCalls = calls;
  }
}

/** Marks the edges that close a loop. `layers` gives the layer of each node, for a graph that runs layer by layer. */
export function planDag(nodes: Nodes, edgesToPlan: readonly Omit<Edge, 'back'>[], layers?: ReadonlyMap<string, number>): Dag {
  const edges: Edge[] = edgesToPlan.map((edge) => ({ ...edge, back: false }));
  const out = groupBy(edges, 'from');
  const into = groupBy(edges, 'to');
  markBackEdges(nodes, into, out);
  const dag: Dag = { kind: 'dag', nodes, into, out };
  if (layers) dag.layers = { of: layers, ids: idsIn(layers) };
  return dag;
}

function idsIn(layers: ReadonlyMap<string, number>): string[][] {
  const ids: string[][] = [];
  for (const [id, layer] of layers) {
    ids[layer] ??= [];
    ids[layer].push(id);
  }
  return ids;
}

function groupBy(edges: readonly Edge[], end: 'from' | 'to'): Map<string, Edge[]> {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const others = groups.get(edge[end]);
    if (others) others.push(edge);
    else groups.set(edge[end], [edge]);
  }
  return groups;
}

// Searches depth first, from the nodes without incoming edges and then from the other nodes. An edge to a node that is still open closes
// a loop.
function markBackEdges(nodes: Nodes, into: Map<string, Edge[]>, out: Map<string, Edge[]>): void {
  const seen = new Map<string, 'open' | 'closed'>();
  const roots = [...nodes.keys()].filter((id) => !into.has(id));
  for (const root of [...roots, ...nodes.keys()]) {
    if (seen.has(root)) continue;
    seen.set(root, 'open');
    const stack = [{ id: root, edge: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const edge = out.get(top.id)?.[top.edge++];
      if (!edge) {
        seen.set(top.id, 'closed');
        stack.pop();
      } else if (seen.get(edge.to) === 'open') edge.back = true;
      else if (!seen.has(edge.to)) {
        seen.set(edge.to, 'open');
        stack.push({ id: edge.to, edge: 0 });
      }
    }
  }
}
