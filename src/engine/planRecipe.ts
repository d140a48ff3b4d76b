// A recipe as a plan of regions. What a node leads to and opens is asked of its action, through `Facts`.
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

/** A node whose regions open each other without end, or too deep. */
export class PlanError extends Error {
  constructor(
    readonly code: 'flow.call_cycle' | 'flow.call_depth',
    readonly pointer: string,
    message: string,
  ) {
    super(message);
  }
}

export function planRecipe(recipe: Recipe, facts: NodeRouting, limits: Limits): Plan {
  const planner = new Planner(recipe.flows, facts, limits);
  const gates = recipe.preConditions.map(gateNode);
  const first = [...gates, ...recipe.setup, ...(recipe.startState ? [recipe.startState] : [])];
  const nodes = new Map(planner.nodes(recipe.nodes));
  const chained = chain(
    first.map((node) => planner.node(node)),
    recipe.entry,
  );
  for (const node of chained) nodes.set(node.id, node);
  const main: Region = { kind: 'walk', entry: chained[0]?.id ?? recipe.entry, nodes };
  if (recipe.teardown.length === 0) return { main, limits };
  return { main, teardown: planTeardown(recipe.teardown.map((node) => planner.node(node))), limits };
}

/** The nodes that check the gates are the plan's own: authors list gates, not nodes. */
function gateNode({ id, params, required, pointer }: PreCondition, index: number, all: readonly PreCondition[]): RecipeNode {
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

// Each clean-up is tried even when the one before it failed; the verdict still hears of the failure.
function planTeardown(nodes: readonly PlanNode[]): Region {
  return {
    kind: 'all',
    nodes: new Map(nodes.map((node) => [node.id, { ...node, onFail: 'continue' }])),
    inTurn: true,
    pipe: false,
    limit: 1,
  };
}

function chain(nodes: readonly PlanNode[], then: string): PlanNode[] {
  return nodes.map((node, index) => ({ ...node, next: { kind: 'to', id: nodes[index + 1]?.id ?? then } }));
}

class Planner {
  private readonly planned = new Map<unknown, { region: Region; longest: readonly string[] }>();
  /** The longest way down that was found below what is being planned. */
  private longest: readonly string[] = [];
  private readonly open: string[] = [];

  constructor(
    private readonly flows: ReadonlyMap<string, Flow>,
    private readonly facts: NodeRouting,
    private readonly limits: Limits,
  ) {}

  nodes(given: ReadonlyMap<string, RecipeNode>): Nodes {
    const planned = new Map<string, PlanNode>();
    for (const [id, node] of given) planned.set(id, this.node(node));
    return planned;
  }

  node(recipe: RecipeNode): PlanNode {
    const body = this.body(recipe);
    const recover = recipe.retry?.recover;
    // The engine goes on; the journal and the verdict ask the recipe, and hear of the failure.
    const onFail = recipe.onFail === 'note' ? 'continue' : recipe.onFail;
    const node: PlanNode = { id: recipe.id, next: this.facts.nextOf(recipe), onFail, attempts: recipe.retry?.max ?? 1, recipe };
    if (body) node.body = body;
    if (recover) node.recover = this.node(recover);
    return node;
  }

  private body(recipe: RecipeNode): Region | undefined {
    const opened = this.facts.bodyOf(recipe, this.flows);
    if (!opened) return undefined;
    const key = opened.kind === 'walk' ? opened.nodes : opened;
    const name = String(recipe.fields.ref ?? recipe.pointer);
    const known = this.planned.get(key);
    if (known) {
      this.refuseTooDeep(recipe, [...this.open, ...known.longest]);
      this.noteDepth([name, ...known.longest.slice(1)]);
      return known.region;
    }
    this.refuseEndless(recipe, name);
    this.open.push(name);
    const around = this.longest;
    this.longest = [];
    const region = this.region(opened);
    this.open.pop();
    const longest = [name, ...this.longest];
    this.planned.set(key, { region, longest });
    this.longest = around;
    this.noteDepth(longest);
    return region;
  }

  private region(opened: BodyPlan): Region {
    if (opened.kind === 'each') return { ...opened, child: this.node(opened.child) };
    const nodes = this.nodes(opened.nodes);
    return opened.kind === 'dag' ? planDag(nodes, opened.edges, opened.layers) : { ...opened, nodes };
  }

  private refuseEndless({ pointer }: RecipeNode, name: string): void {
    if (this.open.includes(name)) {
      throw new PlanError(
        'flow.call_cycle',
        pointer,
        `The flows call each other without end: ${[...this.open, name].join(' → ')}.`,
      );
    }
    this.refuseTooDeep({ pointer }, [...this.open, name]);
  }

  private refuseTooDeep({ pointer }: Pick<RecipeNode, 'pointer'>, way: readonly string[]): void {
    const { callDepth } = this.limits;
    if (way.length <= callDepth) return;
    throw new PlanError('flow.call_depth', pointer, `Calls nest deeper than ${callDepth}: ${way.join(' → ')}.`);
  }

  private noteDepth(way: readonly string[]): void {
    if (way.length > this.longest.length) this.longest = way;
  }
}

// Edges into a region, with the ones that close a loop told apart.

/** `layers`: the layer of each node, for a graph that runs layer by layer. */
export function planDag(nodes: Nodes, edgesToPlan: readonly Omit<Edge, 'back'>[], layers?: ReadonlyMap<string, number>): Dag {
  const edges: Edge[] = edgesToPlan.map((edge) => ({ ...edge, back: false }));
  const out = groupBy(edges, 'from');
  const into = groupBy(edges, 'to');
  markBackEdges(nodes, into, out);
  return { kind: 'dag', nodes, into, out, ...(layers ? { layers: { of: layers, ids: idsIn(layers) } } : {}) };
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

// Depth first from the nodes nothing leads to, then from what is left: an edge to a node still open closes a loop.
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
