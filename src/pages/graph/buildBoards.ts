// A plan as boards. A flow that is called from several places is one board.
import * as z from 'zod';
import type { Declaration } from '../../actions/action.js';
import { phaseOf } from '../../actions/phase.js';
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
  /** Folded: what a call opens has no board; the box of the call says how much that is. */
  calls?: CallDisplay | undefined;
};

export type CallDisplay = 'open' | 'folded';

export function buildBoards(plan: Plan, options: BoardOptions): Board[] {
  const main = buildBoard(plan.main, { title: options.title ?? 'Recipe', options, teardown: plan.teardown });
  const opened: OpenedRegions = new Map();
  for (const region of plan.teardown ? [plan.main, plan.teardown] : [plan.main]) collectOpened(region, opened, options);
  const others = [...opened].map(([region, { owner, callers }]) =>
    buildBoard(region, { title: regionTitle(owner, region), note: `Opened by ${[...callers].join(', ')}`, owner, options }),
  );
  return [main, ...others];
}

type OpenedRegions = Map<Region, { owner: PlanNode; callers: Set<string> }>;

function collectOpened(start: Region, opened: OpenedRegions, options: BoardOptions): void {
  const waiting = [start];
  for (let region = waiting.shift(); region; region = waiting.shift()) {
    for (const node of nodesOf(region).flatMap((own) => (own.recover ? [own, own.recover] : [own]))) {
      if (!node.body || isFolded(node, options)) continue;
      const known = opened.get(node.body);
      if (known) known.callers.add(node.id);
      else {
        opened.set(node.body, { owner: node, callers: new Set([node.id]) });
        waiting.push(node.body);
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
  if (region.kind === 'all') return `${id}: ${region.inTurn ? 'one after the other' : 'side by side'}`;
  return `Inside ${id}`;
}

type BoardParts = { title: string; note?: string; owner?: PlanNode; options: BoardOptions; teardown?: Region | undefined };

function buildBoard(region: Region, { title, note, owner, options, teardown }: BoardParts): Board {
  const builder = new BoardBuilder((node) => toBoardNode(node, options));
  builder.add(region, owner);
  if (teardown) builder.addCleanUp(teardown);
  return { title, ...(note === undefined ? {} : { note }), ...builder.build(reachableIds(region)) };
}

function reachableIds(region: Region): readonly string[] {
  if (region.kind !== 'walk') return [];
  const inside = [...reachableNodes(region)].filter(({ around }) => around === undefined);
  return inside.map(({ node }) => node.id);
}

// A project's own action, of which a package tells the name only.
const unknownAction: Declaration = { name: '', description: '', schema: z.unknown(), examples: [], effect: 'none' };

function toBoardNode(plan: PlanNode, options: BoardOptions): Omit<BoardNode, 'key'> {
  const { vocabulary, flows } = options;
  const { id, recipe } = plan;
  const declared = vocabulary.get(recipe.action) ?? { ...unknownAction, name: recipe.action };
  const lane: Lane = phaseOf(recipe, declared, flows) ?? 'steps';
  const isEnd = plan.next.kind === 'end';
  const title = isEnd && plan.next.kind === 'end' ? `End: ${plan.next.status}` : (recipe.intent ?? recipe.description ?? id);
  const claims = recipe.proves ?? (recipe.proofTarget === undefined ? [] : [recipe.proofTarget]);
  return { kind: isEnd ? 'end' : 'node', lane, title, id, action: recipe.action, claims, notes: notesOf(plan, options), plan };
}

function notesOf(plan: PlanNode, options: BoardOptions): string[] {
  const { body, attempts, recover, recipe } = plan;
  const tries = recover
    ? `tries ${attempts} times, in between: ${recover.recipe.intent ?? recover.id}`
    : `tries ${attempts} times`;
  return [
    ...(recipe.when ? [`only when ${describeAssertion(recipe.when)}`] : []),
    ...(recipe.unless ? [`unless ${describeAssertion(recipe.unless)}`] : []),
    ...(recipe.assert ? [`checks that ${describeAssertion(recipe.assert)}`] : []),
    ...(body ? [`▸ ${regionTitle(plan, body)}${isFolded(plan, options) ? `, folded: ${regionSize(body)}` : ''}`] : []),
    ...(attempts > 1 ? [tries] : []),
    ...(recipe.onFail === 'continue' ? ['goes on when it fails'] : []),
  ];
}

function regionSize(region: Region): string {
  const count = nodesOf(region).filter(({ next }) => next.kind !== 'end').length;
  return `${count} ${count === 1 ? 'node' : 'nodes'}`;
}

// The nodes and edges of one board, from the regions drawn on it.

class BoardBuilder {
  private readonly nodes = new Map<string, BoardNode>();
  private readonly edges: BoardEdge[] = [];
  private readonly cleanUp = new Set<string>();

  constructor(private readonly draw: (node: PlanNode) => Omit<BoardNode, 'key'>) {}

  addCleanUp(region: Region): void {
    const before = new Set(this.nodes.keys());
    this.add(region);
    for (const key of this.nodes.keys()) if (!before.has(key)) this.cleanUp.add(key);
  }

  add(region: Region, owner?: PlanNode): void {
    const plans = region.kind === 'each' ? [region.child] : [...region.nodes.values()];
    for (const plan of plans) this.nodes.set(nodeKey(plan), { key: nodeKey(plan), ...this.draw(plan) });
    if (region.kind === 'walk') for (const plan of plans) this.addNext(plan, region);
    if (region.kind === 'dag') this.addDag(region, owner);
    if (region.kind === 'all' && region.inTurn)
      for (const [index, plan] of plans.slice(1).entries()) this.addEdge(plans[index] ?? plan, plan);
  }

  /** `reached`: the ids of a walk in the order in which a run may come to them. */
  build(reached: readonly string[]): Pick<Board, 'nodes' | 'edges' | 'sections'> {
    for (const { from, to } of this.edges) {
      // Ends and switches have no role of their own: they stand where the way to them comes from.
      const [source, target] = [this.nodes.get(from), this.nodes.get(to)];
      if (source && target?.lane === 'steps' && isBare(target)) this.nodes.set(to, { ...target, lane: source.lane });
    }
    const order = new Map(reached.map((id, index) => [id, index]));
    const placed = [...this.nodes.values()].sort((a, b) => (order.get(a.id) ?? order.size) - (order.get(b.id) ?? order.size));
    const sections: string[][] = [[], [], []];
    for (const node of placed) {
      const section = this.sectionOf(node, order);
      sections[section]?.push(node.key);
      if (section === 2 && node.kind !== 'case')
        this.nodes.set(node.key, { ...node, notes: [...node.notes, 'nothing leads here'] });
    }
    return { nodes: this.nodes, edges: this.edges, sections: sections.filter((keys) => keys.length > 0) };
  }

  private sectionOf({ key, id }: BoardNode, order: ReadonlyMap<string, number>): 0 | 1 | 2 {
    if (this.cleanUp.has(key)) return 1;
    return order.size === 0 || order.has(id) ? 0 : 2;
  }

  private addNext(plan: PlanNode, { nodes }: Walk): void {
    const { next, recipe } = plan;
    const to = (id: string): PlanNode | undefined => nodes.get(id);
    if (next.kind === 'to') this.addEdge(plan, to(next.id));
    if (next.kind !== 'cases') return;
    let index = 0;
    for (const [name, id] of next.cases)
      this.addCase(plan, to(id), { name, title: caseTitle(name, recipe.cases ?? [], index++) });
  }

  private addDag({ out, nodes }: Dag, owner: PlanNode | undefined): void {
    const written = owner?.recipe.body?.edges ?? [];
    for (const [from, edges] of out) {
      const own = written.filter((edge) => edge.from === from);
      const source = nodes.get(from);
      for (const [index, { to, conditional }] of edges.entries()) {
        const { when, intent } = own[index] ?? {};
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

// A clean-up may have the id of a node of the graph.
function nodeKey({ recipe }: PlanNode): string {
  return recipe.pointer;
}

function isBare({ kind, claims, plan }: BoardNode): boolean {
  return kind === 'end' || kind === 'case' || (claims.length === 0 && plan?.next.kind === 'cases');
}

function caseTitle(name: string, cases: readonly Case[], index: number): string {
  const written = cases[index];
  if (name === 'default') return 'otherwise';
  return written ? `when ${describeAssertion(written.when)}` : `case ${name}`;
}
