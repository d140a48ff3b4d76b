// Whether a run went along an edge.
import type { Board, BoardEdge, BoardNode } from './board.js';
import type { Visits } from './pathTaken.js';

export type VisitsOf = (node: BoardNode) => Visits | undefined;

export function wasTaken({ nodes }: Board, { from, to }: BoardEdge, visitsOf: VisitsOf): boolean {
  const [source, target] = [nodes.get(from), nodes.get(to)];
  if (!source || !target) return false;
  const visits = visitsOf(source);
  const choice = source.choice ?? target.choice;
  if (!visits || visits.count === visits.skipped) return false;
  // Only a walk records where it goes on; elsewhere what follows ran or did not.
  if (!choice) return visits.next.size === 0 ? visitsOf(target) !== undefined : visits.next.has(target.id);
  return visits.cases.size > 0 && choice.name !== '' ? visits.cases.has(choice.name) : visits.next.has(choice.to);
}
