// Which ways through their recipes the runs of a suite took between them, and which none of them did.
import type { Coverage, CoverageItem } from '../../evidence/suite.js';
import type { Board, BoardNode } from '../../pages/graph/board.js';
import { buildBoards } from '../../pages/graph/buildBoards.js';
import { isEdgeTaken, PathTaken, type Visits } from '../../pages/graph/pathTaken.js';
import { readGraph } from '../../pages/graph/readGraph.js';
import type { RunGraph } from '../../pages/review/graphSection.js';

export class CoverageCollector {
  private readonly branches = new Map<string, boolean>();
  private readonly flows = new Map<string, boolean>();
  private readonly actions = new Map<string, boolean>();
  private notDrawn = 0;

  /** A flow that several recipes call is one: what one of them does not take, another may. */
  addRun(name: string, way: RunGraph | undefined): void {
    if (!way) {
      this.notDrawn++;
      return;
    }
    for (const [index, board] of way.boards.entries()) this.board(board, index === 0 ? name : boardLocation(board, name), way);
  }

  /** The flows that a recipe or a catalog brings along, whether or not anything calls them. */
  declare(holder: unknown): void {
    const fresh = flowIds(holder).filter((id) => !this.flows.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) markTaken(this.flows, id, false);
    const way = drawUncalledFlows(holder as object, fresh);
    for (const board of way?.boards ?? []) this.board(board, boardLocation(board, ''), way as RunGraph);
  }

  /** Library recipes are called like flows. */
  declareFlows(ids: readonly string[]): void {
    for (const id of ids) markTaken(this.flows, id, false);
  }

  declareActions(names: readonly string[]): void {
    for (const name of names) markTaken(this.actions, name, false);
  }

  result(): Coverage {
    // In an order of their own: which run ends first is chance.
    const listed = (of: ReadonlyMap<string, boolean>): CoverageItem[] =>
      [...of].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, isTaken]) => ({ name, isTaken }));
    const { branches, flows, actions, notDrawn } = this;
    return { branches: listed(branches), flows: listed(flows), actions: listed(actions), notDrawn };
  }

  private board(board: Board, where: string, { taken }: RunGraph): void {
    const visitsOf = (node: BoardNode): Visits | undefined => taken.of(node.plan);
    for (const node of board.nodes.values()) {
      if (node.kind !== 'case') markTaken(this.actions, node.action, hasRun(visitsOf(node)));
      const from = node.plan?.recipe.pointer ?? '';
      if (node.kind === 'case')
        markTaken(this.branches, `${where}: ${node.id}, ${node.title}`, isEdgeTaken(board, { from, to: node.key }, visitsOf));
    }
    if (board.title.startsWith('Flow '))
      markTaken(
        this.flows,
        board.title.slice(5),
        [...board.nodes.values()].some((node) => hasRun(visitsOf(node))),
      );
  }
}

function boardLocation({ title }: Board, name: string): string {
  return title.startsWith('Flow ') ? title : `${name}, ${title}`;
}

function hasRun(visits: Visits | undefined): boolean {
  return visits !== undefined && visits.count > visits.skipped;
}

function markTaken(seen: Map<string, boolean>, name: string, isTaken: boolean): void {
  seen.set(name, isTaken || seen.get(name) === true);
}

// The boards of flows that nothing calls: what is in them was taken by nobody.

/** Drawn as if a recipe called one after the other, and never ran. `holder` is a recipe or a catalog; undefined when they cannot be drawn. */
function drawUncalledFlows(holder: object, ids: readonly string[]): RunGraph | undefined {
  const calls = ids.map((ref, index) => [`f${index}`, { action: 'call', ref, intent: `Call ${ref}`, next: `f${index + 1}` }]);
  const nodes = { ...Object.fromEntries(calls), [`f${ids.length}`]: { action: 'end', status: 'pass' } };
  const { flows } = holder as { flows?: unknown };
  const graph = readGraph({ schema_version: 1, flows, validate: { workflow: { entry: 'f0', nodes } } });
  if (typeof graph === 'string') return undefined;
  const boards: Board[] = buildBoards(graph.plan, graph.options).slice(1);
  return { boards, taken: new PathTaken(graph.plan) };
}

/** The flows that a recipe or a catalog declares, inlined ones included. */
function flowIds(holder: unknown): string[] {
  const { flows } = Object(holder) as { flows?: unknown };
  return typeof flows === 'object' && flows !== null && !Array.isArray(flows) ? Object.keys(flows) : [];
}
