// Every comparison that the assertions of a recipe make, with where it stands and what it is for.
import type { Assertion, Atomic, Compiled } from '../recipe/recipe.js';
import type { NodeInGraph } from './rules.js';

export type AtomAt = {
  atom: Atomic;
  pointer: string;
  /** `assert` reads the node's own output, the others what is known before it. */
  use: 'assert' | 'gate' | 'postcondition';
  at: NodeInGraph | undefined;
  flow: string | undefined;
};

export function atomsOf(nodes: readonly NodeInGraph[], { recipe }: Compiled): AtomAt[] {
  const found: AtomAt[] = [];
  for (const at of nodes) {
    const { assert, when, unless, cases, body } = at.node;
    if (assert || when || unless || cases || body) addOfNode(found, at);
  }
  for (const { id, pointer, postcondition } of recipe.flows.values())
    if (postcondition)
      addAtoms(found, postcondition, `${pointer}/postcondition`, { use: 'postcondition', at: undefined, flow: id });
  return found;
}

type Around = Pick<AtomAt, 'use' | 'at' | 'flow'>;

function addOfNode(found: AtomAt[], at: NodeInGraph): void {
  const { pointer, assert, when, unless, cases, body } = at.node;
  const { flow } = at;
  const gate: Around = { use: 'gate', at, flow };
  if (assert) addAtoms(found, assert, `${pointer}/assert`, { use: 'assert', at, flow });
  if (when) addAtoms(found, when, `${pointer}/when`, gate);
  if (unless) addAtoms(found, unless, `${pointer}/unless`, gate);
  let index = 0;
  if (cases) for (const { when } of cases) addAtoms(found, when, `${pointer}/cases/${index++}/when`, gate);
  if (!body) return;
  // The condition of an edge is read among the nodes of the body it stands in.
  const inside: Around = { ...gate, at: { ...at, graph: 'body' } };
  for (const [index, { when }] of body.edges.entries())
    if (when) addAtoms(found, when, `${pointer}/body/edges/${index}/when`, inside);
}

function addAtoms(found: AtomAt[], assertion: Assertion, pointer: string, around: Around): void {
  const [name, parts] = partsOf(assertion);
  let index = 0;
  if (parts) for (const part of parts) addAtoms(found, part, `${pointer}/${name}/${index++}`, around);
  else found.push({ atom: assertion as Atomic, pointer, use: around.use, at: around.at, flow: around.flow });
}

function partsOf(assertion: Assertion): [name: string, parts?: readonly Assertion[]] {
  const { all, any, none } = assertion as Partial<Record<'all' | 'any' | 'none', Assertion[]>>;
  return all ? ['all', all] : any ? ['any', any] : none ? ['none', none] : [''];
}
