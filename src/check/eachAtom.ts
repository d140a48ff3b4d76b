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

export function* eachAtom(nodes: readonly NodeInGraph[], { recipe }: Compiled): Generator<AtomAt> {
  for (const at of nodes) {
    const { node, flow } = at;
    if (!(node.assert || node.when || node.unless || node.cases || node.body)) continue;
    for (const [field, assertion] of assertionsOf(node)) {
      const use = field[0] === 'assert' ? 'assert' : 'gate';
      // The condition of an edge is read among the nodes of the body it stands in.
      const reader: NodeInGraph = field[0] === 'body' ? { ...at, graph: 'body' } : at;
      const where = { at: reader, use, ...(flow === undefined ? {} : { flow }) } as const;
      yield* atomsOf(assertion, joinPointer(node.pointer, ...field), where);
    }
  }
  for (const { id, pointer, postcondition } of recipe.flows.values()) {
    if (postcondition) yield* atomsOf(postcondition, joinPointer(pointer, 'postcondition'), { use: 'postcondition', flow: id });
  }
}

type Where = Omit<AtomAt, 'atom' | 'pointer'>;

function* atomsOf(assertion: Assertion, pointer: string, where: Where): Generator<AtomAt> {
  for (const compound of ['all', 'any', 'none'] as const) {
    const parts = (assertion as Partial<Record<typeof compound, Assertion[]>>)[compound];
    if (!parts) continue;
    for (const [index, part] of parts.entries()) yield* atomsOf(part, joinPointer(pointer, compound, index), where);
    return;
  }
  yield { ...where, atom: assertion as Atomic, pointer };
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
