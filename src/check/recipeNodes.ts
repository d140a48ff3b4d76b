// Lists every node of a recipe, and every comparison that its assertions make.

import type { Assertion, Atomic, CompiledRecipe, Recipe, RecipeNode } from '../recipe/recipe.js';

export type NodeInGraph = { node: RecipeNode; graph: 'workflow' | 'lifecycle' | 'flow' | 'body'; flow?: string };

/** Every node of a recipe, including those inside other nodes. */
export function listNodes(recipe: Recipe): NodeInGraph[] {
  const found: NodeInGraph[] = [];
  for (const node of recipe.nodes.values()) addWithInner(found, { node, graph: 'workflow' });
  for (const node of recipe.setup) addWithInner(found, { node, graph: 'lifecycle' });
  if (recipe.startState) addWithInner(found, { node: recipe.startState, graph: 'lifecycle' });
  for (const node of recipe.teardown) addWithInner(found, { node, graph: 'lifecycle' });
  for (const flow of recipe.flows.values()) {
    for (const node of flow.nodes.values()) addWithInner(found, { node, graph: 'flow', flow: flow.id });
  }
  return found;
}

function addWithInner(found: NodeInGraph[], at: NodeInGraph): void {
  found.push(at);
  const { body, retry } = at.node;
  if (!body && !retry?.recover) return;
  const inside = at.flow === undefined ? { graph: 'body' as const } : { graph: 'body' as const, flow: at.flow };
  if (retry?.recover) addWithInner(found, { node: retry.recover, ...inside });
  for (const node of body?.nodes.values() ?? []) addWithInner(found, { node, ...inside });
}

export type PlacedAtom = {
  atom: Atomic;
  pointer: string;
  /** An `assert` reads the output of its own node. A gate and a postcondition read values of earlier nodes. */
  use: 'assert' | 'gate' | 'postcondition';
  at: NodeInGraph | undefined;
  flow: string | undefined;
};

/** Every comparison of every assertion, with its place and its use. */
export function listAtoms(nodes: readonly NodeInGraph[], { recipe }: CompiledRecipe): PlacedAtom[] {
  const found: PlacedAtom[] = [];
  for (const at of nodes) {
    const { assert, when, unless, cases, body } = at.node;
    if (assert || when || unless || cases || body) addNodeAtoms(found, at);
  }
  for (const { id, pointer, postcondition } of recipe.flows.values()) {
    const context: AtomContext = { use: 'postcondition', at: undefined, flow: id };
    if (postcondition) addAtoms(found, postcondition, `${pointer}/postcondition`, context);
  }
  return found;
}

type AtomContext = Pick<PlacedAtom, 'use' | 'at' | 'flow'>;

function addNodeAtoms(found: PlacedAtom[], at: NodeInGraph): void {
  const { pointer, assert, when, unless, cases, body } = at.node;
  const { flow } = at;
  const gate: AtomContext = { use: 'gate', at, flow };
  if (assert) addAtoms(found, assert, `${pointer}/assert`, { use: 'assert', at, flow });
  if (when) addAtoms(found, when, `${pointer}/when`, gate);
  if (unless) addAtoms(found, unless, `${pointer}/unless`, gate);
  let index = 0;
  if (cases) for (const { when } of cases) addAtoms(found, when, `${pointer}/cases/${index++}/when`, gate);
  if (!body) return;
  // The condition of an edge reads the nodes of the body that the edge belongs to.
  const inside: AtomContext = { ...gate, at: { ...at, graph: 'body' } };
  for (const [index, { when }] of body.edges.entries())
    if (when) addAtoms(found, when, `${pointer}/body/edges/${index}/when`, inside);
}

function addAtoms(found: PlacedAtom[], assertion: Assertion, pointer: string, context: AtomContext): void {
  const [name, parts] = compoundParts(assertion);
  let index = 0;
  if (parts) for (const part of parts) addAtoms(found, part, `${pointer}/${name}/${index++}`, context);
  else found.push({ atom: assertion as Atomic, pointer, use: context.use, at: context.at, flow: context.flow });
}

function compoundParts(assertion: Assertion): [name: string, parts?: readonly Assertion[]] {
  const { all, any, none } = assertion as Partial<Record<'all' | 'any' | 'none', Assertion[]>>;
  if (all) return ['all', all];
  if (any) return ['any', any];
  return none ? ['none', none] : [''];
}
