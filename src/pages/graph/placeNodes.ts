// Rows and lanes: where each box stands before anything has a coordinate.
import { type Board, type BoardEdge, type BoardNode, type Lane, lanes } from './board.js';
import { rankNodes } from './rankNodes.js';

/** `slot`: how far from the middle of its lane, in widths of a box. */
export type Place = { row: number; lane: number; slot: number };

export type Placing = { places: ReadonlyMap<string, Place>; rows: readonly (readonly string[])[]; lanes: readonly LaneUsed[] };

export type LaneUsed = { title: string; columns: number };

/** More boxes than these side by side begin a row of their own. */
const mostColumns = 4;

export function placeNodes(board: Board): Placing {
  const all = [...board.nodes.values()];
  const used = lanes.filter(([name]) => all.some((node) => node.lane === name));
  const rows = new Rows(
    used.map(([name]) => name),
    predecessors(board.edges),
  );
  for (const keys of ranksOf(board)) rows.add(keys.flatMap((key) => board.nodes.get(key) ?? []));
  const { places, columns } = rows;
  return { places, rows: rows.made, lanes: used.map(([, title], index) => ({ title, columns: columns[index] ?? 1 })) };
}

/** The keys of each rank, of all sections one below the other. */
function ranksOf({ sections, edges }: Board): string[][] {
  return sections.flatMap((keys) => {
    const own = new Set(keys);
    const inner = edges.filter(({ from, to }) => own.has(from) && own.has(to));
    const { ranks } = rankNodes(keys, inner);
    const found: string[][] = [];
    for (const key of keys) {
      const rank = ranks.get(key) ?? 0;
      found[rank] ??= [];
      found[rank]?.push(key);
    }
    return found;
  });
}

function predecessors(edges: readonly BoardEdge[]): Map<string, string[]> {
  const into = new Map<string, string[]>();
  for (const { from, to } of edges) into.set(to, [...(into.get(to) ?? []), from]);
  return into;
}

class Rows {
  readonly places = new Map<string, Place>();
  readonly made: string[][] = [];
  readonly columns: number[] = [];

  constructor(
    private readonly laneNames: readonly Lane[],
    private readonly into: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** The nodes of one rank: each stands as near as can be to where the ways to it come from. */
  add(rank: readonly BoardNode[]): void {
    const wanted = new Map(rank.map(({ key }) => [key, this.wanted(key)]));
    const sorted = [...rank].sort((a, b) => (wanted.get(a.key) ?? 0) - (wanted.get(b.key) ?? 0));
    const perLane = this.laneNames.map((name) => sorted.filter(({ lane }) => lane === name));
    const longest = Math.max(...perLane.map((members) => members.length));
    for (let start = 0; start < longest; start += mostColumns) {
      this.addRow(perLane.map((members) => members.slice(start, start + mostColumns)));
    }
  }

  private addRow(perLane: readonly (readonly BoardNode[])[]): void {
    for (const [lane, members] of perLane.entries()) {
      this.columns[lane] = Math.max(this.columns[lane] ?? 1, members.length);
      for (const [index, { key }] of members.entries())
        this.places.set(key, { row: this.made.length, lane, slot: index - (members.length - 1) / 2 });
    }
    this.made.push(perLane.flat().map(({ key }) => key));
  }

  private wanted(key: string): number {
    const from = (this.into.get(key) ?? []).flatMap((source) => this.places.get(source) ?? []);
    const sum = from.reduce((total, { lane, slot }) => total + lane * mostColumns + slot, 0);
    return from.length === 0 ? 0 : sum / from.length;
  }
}
