// Which ways through their recipes the runs of a suite took between them, and which none of them did.
import type { Coverage, Covered } from '../../evidence/suiteCoverage.js';
import type { Board, BoardNode } from '../graph/board.js';
import { wasTaken } from '../graph/edgesTaken.js';
import type { Visits } from '../graph/pathTaken.js';
import type { Way } from '../page/graphSection.js';

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

  told(): Coverage {
    const listed = (of: ReadonlyMap<string, boolean>): Covered[] => [...of].map(([name, isTaken]) => ({ name, isTaken }));
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
