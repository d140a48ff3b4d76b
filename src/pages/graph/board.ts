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
  /** A `case` is the condition of an edge. It is a box of its own, so that its text never covers another one. */
  kind: 'node' | 'end' | 'case';
  lane: Lane;
  title: string;
  id: string;
  action: string;
  /** Ids of the claims that the node proves. */
  claims: readonly string[];
  /** For example its condition, the flow it calls, and its number of attempts. */
  notes: readonly string[];
  plan?: PlanNode;
  /** For a case: its name in the node, and the id of the node it leads to. */
  choice?: { name: string; to: string };
};

export type BoardEdge = { from: string; to: string };

/** `sections`, from top to bottom: the nodes reachable from the entry, the teardown, the unreachable nodes. */
export type Board = {
  title: string;
  note?: string;
  nodes: ReadonlyMap<string, BoardNode>;
  edges: readonly BoardEdge[];
  sections: readonly (readonly string[])[];
};
