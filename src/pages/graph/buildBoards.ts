// Turns a plan into boards. A flow that several nodes call is one board.
import * as z from 'zod';
import type { Declaration } from '../../actions/action.js';
import { phaseOf } from '../../actions/phaseDefaults.js';
import type { Vocabulary } from '../../actions/vocabulary.js';
import { type Dag, type Plan, type PlanNode, type Region, reachableNodes, type Walk } from '../../engine/plan.js';
import type { Case, Flow } from '../../recipe/recipe.js';
import { describeAssertion } from '../describeAssertion.js';
import type { Board, BoardEdge, BoardNode, Lane } from './board.js';
import { edgeName } from './pathTaken.js';

export type BoardOptions = {
  vocabulary: Vocabulary;
  flows: ReadonlyMap<string, Flow>;
  title?: string | undefined;
  /** `folded`: a called flow gets no board; the box of the call shows the number of its nodes. */
  calls?: CallDisplay | undefined;
};

export type CallDisplay = 'open' | 'folded';

export function buildBoards(plan: Plan, options: BoardOptions): Board[] {
  const main = buildBoard(plan.main, { title: options.title ?? 'Recipe', options, teardown: plan.teardown });
  const opened: OpenedRegions = new Map();
  for (const region of plan.teardown ? [plan.main, plan.teardown] : [plan.main]) collectOpened(region, opened, options);
  const others = [...opened].map(([region, { owner, callers }]) =>
    buildBoard(region, { title: regionTitle(owner, region), note: `Used by ${[...callers].join(', ')}`, owner, options }),
  );
  return [main, ...others];
}

type OpenedRegions = Map<Region, { owner: PlanNode; callers: Set<string> }>;

function collectOpened(start: Region, opened: OpenedRegions, options: BoardOptions): void {
  const queue = [start];
  for (let region = queue.shift(); region; region = queue.shift()) {
    for (const node of nodesOf(region).flatMap((each) => (each.recover ? [each, each.recover] : [each]))) {
      if (!node.body || isFolded(node, options)) continue;
      const known = opened.get(node.body);
      if (known) known.callers.add(node.id);
      else {
        opened.set(node.body, { owner: node, callers: new Set([node.id]) });
        queue.push(node.body);
      }
    }
  }
}

function nodesOf(region: Region): PlanNode[] {
  return region.kind === 'each' ? [region.child] : [...region.nodes.values()];
}

function isFolded({ recipe }: PlanNode, { calls }: BoardOptions): boolean {
  return calls === 'folded' && typeof recipe.fields.ref === 'string';
}

function regionTitle({ id, recipe }: PlanNode, region: Region): string {
  const { ref } = recipe.fields;
  if (typeof ref === 'string') return `Flow ${ref}`;
  if (region.kind === 'each') return `${id}: for each item${region.limit > 1 ? `, ${region.limit} at a time` : ''}`;
  if (region.kind === 'all') return `${id}: ${region.inTurn ? 'in sequence' : 'in parallel'}`;
  return `Inside ${id}`;
}

type BoardParts = { title: string; note?: string; owner?: PlanNode; options: BoardOptions; teardown?: Region | undefined };

function buildBoard(region: Region, { title, note, owner, options, teardown }: BoardParts): Board {
  const builder = new BoardBuilder((node) => toBoardNode(node, options));
  builder.add(region, owner);
  if (teardown) builder.addTeardown(teardown);
  return { title, ...(note === undefined ? {} : { note }), ...builder.build(reachableIds(region)) };
}

function reachableIds(region: Region): readonly string[] {
  if (region.kind !== 'walk') return [];
  const topLevel = [...reachableNodes(region)].filter(({ parent }) => parent === undefined);
  return topLevel.map(({ node }) => node.id);
}

// Stands for the actions of a project, because a package has only their names.
const unknownAction: Declaration = { name: '', description: '', schema: z.unknown(), examples: [], effect: 'none' };

function toBoardNode(plan: PlanNode, options: BoardOptions): Omit<BoardNode, 'key'> {
  const { vocabulary, flows } = options;
  const { id, recipe } = plan;
  const declaration = vocabulary.get(recipe.action) ?? { ...unknownAction, name: recipe.action };
  const lane: Lane = phaseOf(recipe, declaration, flows) ?? 'steps';
  const isEnd = plan.next.kind === 'end';
  const title = plan.next.kind === 'end' ? `End: ${plan.next.status}` : (recipe.intent ?? recipe.description ?? id);
  const claims = recipe.proves ?? (recipe.proofTarget === undefined ? [] : [recipe.proofTarget]);
  return { kind: isEnd ? 'end' : 'node', lane, title, id, action: recipe.action, claims, notes: notesOf(plan, options), plan };
}

function notesOf(plan: PlanNode, options: BoardOptions): string[] {
  const { body, attempts, recover, recipe } = plan;
  const attemptsNote = recover
    ? `up to ${attempts} attempts, with recovery: ${recover.recipe.intent ?? recover.id}`
    : `up to ${attempts} attempts`;
  return [
    ...(recipe.when ? [`only when ${describeAssertion(recipe.when)}`] : []),
    ...(recipe.unless ? [`unless ${describeAssertion(recipe.unless)}`] : []),
    ...(recipe.assert ? [`checks that ${describeAssertion(recipe.assert)}`] : []),
    ...(body ? [`▸ ${regionTitle(plan, body)}${isFolded(plan, options) ? `, folded: ${regionSize(body)}` : ''}`] : []),
    ...(attempts > 1 ? [attemptsNote] : []),
    ...(recipe.onFail === 'continue' ? ['continues on failure'] : []),
  ];
}

function regionSize(region: Region): string {
  const count = nodesOf(region).filter(({ next }) => next.kind !== 'end').length;
  return `${count} ${count === 1 ? 'node' : 'nodes'}`;
}

/** Collects the nodes and edges of one board. */
class BoardBuilder {
  private readonly nodes = new Map<string, BoardNode>();
  private readonly edges: BoardEdge[] = [];
  private readonly teardownKeys = new Set<string>();

  constructor(private readonly draw: (node: PlanNode) => Omit<BoardNode, 'key'>) {}

  addTeardown(region: Region): void {
    const before = new Set(this.nodes.keys());
    this.add(region);
    for (const key of this.nodes.keys()) if (!before.has(key)) this.teardownKeys.add(key);
  }

  add(region: Region, owner?: PlanNode): void {
    const plans = region.kind === 'each' ? [region.child] : [...region.nodes.values()];
    for (const plan of plans) this.nodes.set(nodeKey(plan), { key: nodeKey(plan), ...this.draw(plan) });
    if (region.kind === 'walk') for (const plan of plans) this.addNext(plan, region);
    if (region.kind === 'dag') this.addDag(region, owner);
    if (region.kind === 'all' && region.inTurn)
      for (const [index, plan] of plans.slice(1).entries()) this.addEdge(plans[index] ?? plan, plan);
  }

  /** `reachable`: the ids of the nodes that the entry reaches, in the order in which a run can visit them. */
  build(reachable: readonly string[]): Pick<Board, 'nodes' | 'edges' | 'sections'> {
    for (const { from, to } of this.edges) {
      // Ends and switches belong to no phase, so they are drawn in the lane of the node that leads to them.
      const [source, target] = [this.nodes.get(from), this.nodes.get(to)];
      if (source && target?.lane === 'steps' && hasNoPhase(target)) this.nodes.set(to, { ...target, lane: source.lane });
    }
    const order = new Map(reachable.map((id, index) => [id, index]));
    const sorted = [...this.nodes.values()].sort((a, b) => (order.get(a.id) ?? order.size) - (order.get(b.id) ?? order.size));
    const sections: string[][] = [[], [], []];
    for (const node of sorted) {
      const section = this.sectionOf(node, order);
      sections[section]?.push(node.key);
      if (section === 2 && node.kind !== 'case') this.nodes.set(node.key, { ...node, notes: [...node.notes, 'unreachable'] });
    }
    return { nodes: this.nodes, edges: this.edges, sections: sections.filter((keys) => keys.length > 0) };
  }

  private sectionOf({ key, id }: BoardNode, order: ReadonlyMap<string, number>): 0 | 1 | 2 {
    if (this.teardownKeys.has(key)) return 1;
    return order.size === 0 || order.has(id) ? 0 : 2;
  }

  private addNext(plan: PlanNode, { nodes }: Walk): void {
    const { next, recipe } = plan;
    if (next.kind === 'to') this.addEdge(plan, nodes.get(next.id));
    if (next.kind !== 'cases') return;
    let index = 0;
    for (const [name, id] of next.cases)
      this.addCase(plan, nodes.get(id), { name, title: caseTitle(name, recipe.cases ?? [], index++) });
  }

  private addDag({ out, nodes }: Dag, owner: PlanNode | undefined): void {
    const recipeEdges = owner?.recipe.body?.edges ?? [];
    for (const [from, edges] of out) {
      const edgesFrom = recipeEdges.filter((edge) => edge.from === from);
      const source = nodes.get(from);
      for (const [index, { to, conditional }] of edges.entries()) {
        const { when, intent } = edgesFrom[index] ?? {};
        if (!source) continue;
        if (!conditional) this.addEdge(source, nodes.get(to));
        else if (when)
          this.addCase(source, nodes.get(to), { name: edgeName(index), title: intent ?? `when ${describeAssertion(when)}` });
      }
    }
  }

  private addEdge(from: PlanNode, to: PlanNode | undefined): void {
    if (to) this.edges.push({ from: nodeKey(from), to: nodeKey(to) });
  }

  private addCase(from: PlanNode, to: PlanNode | undefined, { name, title }: { name: string; title: string }): void {
    const source = this.nodes.get(nodeKey(from));
    if (!to || !source) return;
    const key = `${nodeKey(from)} case ${this.edges.length}`;
    const { lane } = source;
    const choice = { name, to: to.id };
    this.nodes.set(key, { key, kind: 'case', lane, title, id: from.id, action: '', claims: [], notes: [], plan: from, choice });
    this.edges.push({ from: source.key, to: key }, { from: key, to: nodeKey(to) });
  }
}

// The key is the pointer, because a teardown node may have the same id as a node of the graph.
function nodeKey({ recipe }: PlanNode): string {
  return recipe.pointer;
}

function hasNoPhase({ kind, claims, plan }: BoardNode): boolean {
  return kind === 'end' || kind === 'case' || (claims.length === 0 && plan?.next.kind === 'cases');
}

function caseTitle(name: string, cases: readonly Case[], index: number): string {
  if (name === 'default') return 'otherwise';
  const condition = cases[index]?.when;
  return condition ? `when ${describeAssertion(condition)}` : `case ${name}`;
}
