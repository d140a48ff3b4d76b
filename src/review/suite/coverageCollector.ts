// Collects the branches, flows and actions of a suite, and whether a run took them.
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

  /** Adds a run. A branch of a flow that several recipes call counts once for all of them. */
  addRun(name: string, runGraph: RunGraph | undefined): void {
    if (!runGraph) {
      this.notDrawn++;
      return;
    }
    for (const [index, board] of runGraph.boards.entries())
      this.addBoard(board, index === 0 ? name : boardLocation(board, name), runGraph);
  }

  /** Adds the flows of a recipe or a catalog, even if no run calls them. */
  declare(document: unknown): void {
    const newIds = flowIds(document).filter((id) => !this.flows.has(id));
    if (newIds.length === 0) return;
    for (const id of newIds) markTaken(this.flows, id, false);
    const runGraph = drawUncalledFlows(document as object, newIds);
    for (const board of runGraph?.boards ?? []) this.addBoard(board, boardLocation(board, ''), runGraph as RunGraph);
  }

  /** Library recipes count as flows, because they are called in the same way. */
  declareFlows(ids: readonly string[]): void {
    for (const id of ids) markTaken(this.flows, id, false);
  }

  declareActions(names: readonly string[]): void {
    for (const name of names) markTaken(this.actions, name, false);
  }

  result(): Coverage {
    // The order in which runs end is random, so the result is sorted.
    const toItems = (items: ReadonlyMap<string, boolean>): CoverageItem[] =>
      [...items].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, isTaken]) => ({ name, isTaken }));
    const { branches, flows, actions, notDrawn } = this;
    return { branches: toItems(branches), flows: toItems(flows), actions: toItems(actions), notDrawn };
  }

  private addBoard(board: Board, location: string, { taken }: RunGraph): void {
    const visitsOf = (node: BoardNode): Visits | undefined => taken.visitsOf(node.plan);
    for (const node of board.nodes.values()) {
      if (node.kind !== 'case') markTaken(this.actions, node.action, hasRun(visitsOf(node)));
      const from = node.plan?.recipe.pointer ?? '';
      if (node.kind === 'case')
        markTaken(this.branches, `${location}: ${node.id}, ${node.title}`, isEdgeTaken(board, { from, to: node.key }, visitsOf));
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

function markTaken(items: Map<string, boolean>, name: string, isTaken: boolean): void {
  items.set(name, isTaken || items.get(name) === true);
}

/**
 * Draws flows that no run has called so far. A recipe that calls them one after the other is made up for that. Returns undefined
 * when the flows cannot be drawn. `document` is a recipe or a catalog.
 */
function drawUncalledFlows(document: object, ids: readonly string[]): RunGraph | undefined {
  const calls = ids.map((ref, index) => [`f${index}`, { action: 'call', ref, intent: `Call ${ref}`, next: `f${index + 1}` }]);
  const nodes = { ...Object.fromEntries(calls), [`f${ids.length}`]: { action: 'end', status: 'pass' } };
  const { flows } = document as { flows?: unknown };
  const graph = readGraph({ schema_version: 1, flows, validate: { workflow: { entry: 'f0', nodes } } });
  if (typeof graph === 'string') return undefined;
  const boards: Board[] = buildBoards(graph.plan, graph.options).slice(1);
  return { boards, taken: new PathTaken(graph.plan) };
}

/** Returns the ids of the flows in a recipe or a catalog. */
function flowIds(document: unknown): string[] {
  const { flows } = Object(document) as { flows?: unknown };
  return typeof flows === 'object' && flows !== null && !Array.isArray(flows) ? Object.keys(flows) : [];
}
