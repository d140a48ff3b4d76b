// Recipes for tests of graphs: one with every kind of node, and random ones from a seed.

import type { Board } from '../../../src/pages/graph/board.js';
import { buildBoards } from '../../../src/pages/graph/buildBoards.js';
import { type RecipeGraph, readGraph } from '../../../src/pages/graph/readGraph.js';

export type Json = Record<string, unknown>;

export const step = (intent: string, next?: string, rest: Json = {}): Json => ({
  ...{ action: 'command', intent, cmd: 'true', ...(next === undefined ? {} : { next }) },
  ...rest,
});
export const done: Json = { action: 'end', status: 'pass' };

export function recipeOf(entry: string, nodes: Record<string, Json>, rest: Json = {}): Json {
  const { workflow = {}, ...top } = rest as { workflow?: Json };
  return { schema_version: 1, title: 'A recipe to be drawn', ...top, validate: { workflow: { entry, nodes, ...workflow } } };
}

const opened = { source: 'open', path: '$.exitCode', operator: 'eq', value: 0 };
const closed = {
  all: [
    { source: 'open', path: '$.stdout', operator: 'contains', value: 'closed' },
    { source: 'inputs', path: '$.patience', operator: 'gt', value: 3 },
  ],
};

/** A recipe with a switch, a loop, a flow that is called twice, a group, a setup, a teardown, and an unreachable node. */
export const everyKind = recipeOf(
  'open',
  {
    open: step('Open the shop', 'which'),
    which: {
      ...{ action: 'switch', intent: 'Choose by what the shop says', default: 'shut' },
      cases: [
        { when: opened, next: 'buy' },
        { when: closed, next: 'wait' },
      ],
    },
    wait: step('Wait for it to open again', 'open'),
    buy: { action: 'call', ref: 'shop.ask', intent: 'Ask for the price', next: 'group', proofTarget: 'AC1' },
    group: {
      ...{ action: 'rw.group', order: 'together', intent: 'Look at three things', next: 'again' },
      body: { nodes: { a: step('Look at the first'), b: step('Look at the second'), c: step('Look at the third') } },
    },
    again: { action: 'call', ref: 'shop.ask', intent: 'Ask once more', next: 'done' },
    shut: step('Tell that it is closed', 'failed'),
    failed: { action: 'end', status: 'fail' },
    done,
    lost: step('No node leads here', 'done'),
  },
  {
    proofTargets: [{ id: 'AC1', claim: 'The shop names a price.' }],
    flows: {
      'shop.ask': { description: 'Asks.', workflow: { entry: 'ask', nodes: { ask: step('Ask the shop', 'done'), done } } },
    },
    workflow: { setup: [step('Start the shop')], teardown: [step('Stop the shop'), step('Remove its data')] },
  },
);

export function graphOf(recipe: unknown): RecipeGraph {
  const graph = readGraph(recipe);
  if (typeof graph === 'string') throw new Error(graph);
  return graph;
}

export function boardsIn(recipe: unknown): Board[] {
  const { plan, options } = graphOf(recipe);
  return buildBoards(plan, options);
}

const phases = ['setup', 'start_state', 'proof', 'assert', undefined];

/** Creates a chain of nodes with jumps ahead and back, in all phases. The same seed always gives the same recipe. */
export function randomRecipe(seed: number, count: number): Json {
  let state = seed * 2_654_435_761 + 1;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % limit;
  };
  const randomTarget = (index: number): string => `n${below(4) === 0 ? below(count) : Math.min(count, index + 1 + below(6))}`;
  const nodes: Record<string, Json> = {};
  for (let index = 0; index < count; index++) {
    const cases = Array.from({ length: below(4) }, () => ({
      when: { ...opened, source: 'n0', value: below(9) },
      next: randomTarget(index),
    }));
    const phase = phases[below(phases.length)];
    nodes[`n${index}`] =
      cases.length > 0
        ? { action: 'switch', intent: `Decide number ${index}`, cases, default: `n${index + 1}` }
        : step(`Do ${'very much '.repeat(below(9))}of number ${index}`, `n${index + 1}`, phase ? { phase } : {});
  }
  return recipeOf('n0', { ...nodes, [`n${count}`]: done });
}
