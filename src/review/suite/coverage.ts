// Which ways through their recipes the runs of a suite took between them, and which none of them did.
import type { Coverage, Covered } from '../../evidence/suiteCoverage.js';
import type { Board, BoardNode } from '../../pages/graph/board.js';
import { wasTaken } from '../../pages/graph/edgesTaken.js';
import type { Visits } from '../../pages/graph/pathTaken.js';
import type { Way } from '../../pages/review/graphSection.js';
import { flowIds, uncalledFlows } from './uncalledFlows.js';

export class SuiteCoverage {
  private readonly branches = new Map<string, boolean>();
  private readonly flows = new Map<string, boolean>();
  private readonly actions = new Map<string, boolean>();
  private notDrawn = 0;

  /** A flow that several recipes call is one: what one of them does not take, another may. */
  see(name: string, way: Way | undefined): void {
    if (!way) {
      this.notDrawn++;
      return;
    }
    for (const [index, board] of way.boards.entries()) this.board(board, index === 0 ? name : titleOf(board, name), way);
  }

  /** The flows that a recipe or a catalog brings along, whether or not anything calls them. */
  declare(holder: unknown): void {
    const fresh = flowIds(holder).filter((id) => !this.flows.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) note(this.flows, id, false);
    const way = uncalledFlows(holder as object, fresh);
    for (const board of way?.boards ?? []) this.board(board, titleOf(board, ''), way as Way);
  }

  /** Library recipes are called like flows. */
  declareFlows(ids: readonly string[]): void {
    for (const id of ids) note(this.flows, id, false);
  }

  declareActions(names: readonly string[]): void {
    for (const name of names) note(this.actions, name, false);
  }

  told(): Coverage {
    // In an order of their own: which run ends first is chance.
    const listed = (of: ReadonlyMap<string, boolean>): Covered[] =>
      [...of].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, isTaken]) => ({ name, isTaken }));
    const { branches, flows, actions, notDrawn } = this;
    return { branches: listed(branches), flows: listed(flows), actions: listed(actions), notDrawn };
  }

  private board(board: Board, where: string, { taken }: Way): void {
    const visitsOf = (node: BoardNode): Visits | undefined => taken.of(node.plan);
    for (const node of board.nodes.values()) {
      if (node.kind !== 'case') note(this.actions, node.action, hasRun(visitsOf(node)));
      const from = node.plan?.recipe.pointer ?? '';
      if (node.kind === 'case')
        note(this.branches, `${where}: ${node.id}, ${node.title}`, wasTaken(board, { from, to: node.key }, visitsOf));
    }
    if (board.title.startsWith('Flow '))
      note(
        this.flows,
        board.title.slice(5),
        [...board.nodes.values()].some((node) => hasRun(visitsOf(node))),
      );
  }
}

function titleOf({ title }: Board, name: string): string {
  return title.startsWith('Flow ') ? title : `${name}, ${title}`;
}

function hasRun(visits: Visits | undefined): boolean {
  return visits !== undefined && visits.count > visits.skipped;
}

function note(seen: Map<string, boolean>, name: string, isTaken: boolean): void {
  seen.set(name, isTaken || seen.get(name) === true);
}
