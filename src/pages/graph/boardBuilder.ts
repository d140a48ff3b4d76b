// The nodes and edges of one board, from the regions drawn on it.

import type { Dag, PlanNode, Region, Walk } from '../../engine/plan.js';
import type { Case } from '../../recipe/recipe.js';
import { sayAssertion } from '../sayAssertion.js';
import type { Board, BoardEdge, BoardNode } from './board.js';
import { edgeName } from './pathTaken.js';

export class BoardBuilder {
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
    for (const plan of plans) this.nodes.set(keyOf(plan), { key: keyOf(plan), ...this.draw(plan) });
    if (region.kind === 'walk') for (const plan of plans) this.follow(plan, region);
    if (region.kind === 'dag') this.addDag(region, owner);
    if (region.kind === 'all' && region.inTurn)
      for (const [index, plan] of plans.slice(1).entries()) this.join(plans[index] ?? plan, plan);
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

  private follow(plan: PlanNode, { nodes }: Walk): void {
    const { next, recipe } = plan;
    const to = (id: string): PlanNode | undefined => nodes.get(id);
    if (next.kind === 'to') this.join(plan, to(next.id));
    if (next.kind !== 'cases') return;
    let index = 0;
    for (const [name, id] of next.cases) this.choose(plan, to(id), { name, title: wordsFor(name, recipe.cases ?? [], index++) });
  }

  private addDag({ out, nodes }: Dag, owner: PlanNode | undefined): void {
    const written = owner?.recipe.body?.edges ?? [];
    for (const [from, edges] of out) {
      const own = written.filter((edge) => edge.from === from);
      const source = nodes.get(from);
      for (const [index, { to, conditional }] of edges.entries()) {
        const { when, intent } = own[index] ?? {};
        if (!source) continue;
        if (!conditional) this.join(source, nodes.get(to));
        else if (when)
          this.choose(source, nodes.get(to), { name: edgeName(index), title: intent ?? `when ${sayAssertion(when)}` });
      }
    }
  }

  private join(from: PlanNode, to: PlanNode | undefined): void {
    if (to) this.edges.push({ from: keyOf(from), to: keyOf(to) });
  }

  private choose(from: PlanNode, to: PlanNode | undefined, { name, title }: { name: string; title: string }): void {
    const source = this.nodes.get(keyOf(from));
    if (!to || !source) return;
    const key = `${keyOf(from)} case ${this.edges.length}`;
    const { lane } = source;
    const choice = { name, to: to.id };
    this.nodes.set(key, { key, kind: 'case', lane, title, id: from.id, action: '', claims: [], notes: [], plan: from, choice });
    this.edges.push({ from: source.key, to: key }, { from: key, to: keyOf(to) });
  }
}

// A clean-up may have the id of a node of the graph.
function keyOf({ recipe }: PlanNode): string {
  return recipe.pointer;
}

function isBare({ kind, claims, plan }: BoardNode): boolean {
  return kind === 'end' || kind === 'case' || (claims.length === 0 && plan?.next.kind === 'cases');
}

function wordsFor(name: string, cases: readonly Case[], index: number): string {
  const written = cases[index];
  if (name === 'default') return 'otherwise';
  return written ? `when ${sayAssertion(written.when)}` : `case ${name}`;
}
