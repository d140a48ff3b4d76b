// Every comparison that the assertions of a recipe make, with where it stands and what it is for.
import type { Compiled, RecipeNode } from '../dialects/recipe.js';
import { joinPointer } from '../document/pointer.js';
import type { Assertion, Atomic } from '../graph/predicate.js';
import type { NodeInGraph } from './rules.js';

export type AtomAt = {
  atom: Atomic;
  pointer: string;
  /** `assert` reads the node's own output, the others what is known before it. */
  use: 'assert' | 'gate' | 'postcondition';
  at?: NodeInGraph;
  flow?: string;
};

export function atomsOf(nodes: readonly NodeInGraph[], { recipe }: Compiled): AtomAt[] {
  const found: AtomAt[] = [];
  for (const at of nodes) {
    const { node } = at;
    if (!(node.assert || node.when || node.unless || node.cases || node.body)) continue;
    for (const [field, assertion] of assertionsOf(node)) {
      // The condition of an edge is read among the nodes of the body it stands in.
      const reader: NodeInGraph = field[0] === 'body' ? { ...at, graph: 'body' } : at;
      addAtoms(
        found,
        assertion,
        placeAtom(joinPointer(node.pointer, ...field), field[0] === 'assert' ? 'assert' : 'gate', reader),
      );
    }
  }
  for (const { id, pointer, postcondition } of recipe.flows.values()) {
    if (!postcondition) continue;
    const where = (at: string, atom: Atomic): AtomAt => ({ atom, pointer: at, use: 'postcondition', flow: id });
    addAtoms(found, postcondition, { pointer: joinPointer(pointer, 'postcondition'), where });
  }
  return found;
}

type Placed = { pointer: string; where: (pointer: string, atom: Atomic) => AtomAt };

function placeAtom(pointer: string, use: 'assert' | 'gate', at: NodeInGraph): Placed {
  const { flow } = at;
  return {
    pointer,
    where: (place, atom) => (flow === undefined ? { atom, pointer: place, use, at } : { atom, pointer: place, use, at, flow }),
  };
}

function addAtoms(found: AtomAt[], assertion: Assertion, { pointer, where }: Placed): void {
  for (const compound of ['all', 'any', 'none'] as const) {
    const parts = (assertion as Partial<Record<typeof compound, Assertion[]>>)[compound];
    if (!parts) continue;
    for (const [index, part] of parts.entries()) addAtoms(found, part, { pointer: joinPointer(pointer, compound, index), where });
    return;
  }
  found.push(where(pointer, assertion as Atomic));
}

function assertionsOf(node: RecipeNode): [field: (string | number)[], assertion: Assertion][] {
  const found: [(string | number)[], Assertion][] = [];
  for (const field of ['assert', 'when', 'unless'] as const) if (node[field]) found.push([[field], node[field]]);
  for (const [index, { when }] of (node.cases ?? []).entries()) found.push([['cases', index, 'when'], when]);
  for (const [index, { when }] of (node.body?.edges ?? []).entries()) {
    if (when) found.push([['body', 'edges', index, 'when'], when]);
  }
  return found;
}
