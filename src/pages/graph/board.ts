// The model of a drawing: one board for the recipe itself, and one for each flow or body that its nodes run.

import type { PlanNode } from '../../engine/plan.js';
import type { Phase } from '../../recipe/recipe.js';

export type Lane = Phase | 'steps';

export const lanes: readonly (readonly [Lane, title: string])[] = [
  ['setup', 'Setup'],
  ['start_state', 'Start state'],
  ['steps', 'Steps'],
  ['proof', 'Proof'],
  ['assert', 'Assert'],
  ['teardown', 'Teardown'],
];

export type BoardNode = {
  key: string;
  /** `case`: the condition of an edge, drawn as a box, so that its text never overlaps another one. */
  kind: 'node' | 'end' | 'case';
  lane: Lane;
  title: string;
  id: string;
  action: string;
  /** Ids of the claims that the node proves. */
  claims: readonly string[];
  /** Further facts, for example the condition, the called flow and the number of attempts. */
  notes: readonly string[];
  plan?: PlanNode;
  /** Only for a case: the name of the case in the node, and the id of the node to which it leads. */
  choice?: { name: string; to: string };
};

export type BoardEdge = { from: string; to: string };

/** `sections`: from top to bottom the nodes that the entry reaches, the teardown, and the unreachable nodes. */
export type Board = {
  title: string;
  note?: string;
  nodes: ReadonlyMap<string, BoardNode>;
  edges: readonly BoardEdge[];
  sections: readonly (readonly string[])[];
};
