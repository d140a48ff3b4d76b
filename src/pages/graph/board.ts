// What is drawn: one board per graph, that of the recipe first, then the flows and bodies that its nodes open.

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
  /** A case is the condition of an edge, drawn as a box of its own so that it never lies over anything. */
  kind: 'node' | 'end' | 'case';
  lane: Lane;
  title: string;
  id: string;
  action: string;
  /** The claims it is mapped to. */
  claims: readonly string[];
  /** When it is left out, what it opens, how often it is tried. */
  notes: readonly string[];
  plan?: PlanNode;
  /** Of a case: how its node names it, and the id of the node it leads to. */
  choice?: { name: string; to: string };
};

export type BoardEdge = { from: string; to: string };

/** `sections`: what a run comes to from its entry, then the clean-up, then what nothing leads to; each below the one before. */
export type Board = {
  title: string;
  note?: string;
  nodes: ReadonlyMap<string, BoardNode>;
  edges: readonly BoardEdge[];
  sections: readonly (readonly string[])[];
};
