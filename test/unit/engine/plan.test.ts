import { expect, test } from 'vitest';
import { reachableNodes, worseStatus } from '../../../src/engine/plan.js';
import type { Status } from '../../../src/recipe/recipe.js';
import { cases, each, end, inTurn, node, nodes, to, walk } from './play.js';

test('fail is worse than unknown, and unknown is worse than pass', () => {
  const statuses: Status[] = ['pass', 'unknown', 'fail'];
  const table = statuses.map((a) => statuses.map((b) => worseStatus(a, b)));
  expect(table).toEqual([
    ['pass', 'unknown', 'fail'],
    ['unknown', 'unknown', 'fail'],
    ['fail', 'fail', 'fail'],
  ]);
});

test('every node of a plan is listed with its parent, including bodies, recoveries and the nodes inside them', () => {
  const recover = node('r', { body: inTurn(...nodes('s')) });
  const region = inTurn(node('a', { body: each(2, node('b', { body: inTurn(...nodes('cd')) })), recover }), node('e'));
  const seen = [...reachableNodes(region)].map(({ node: { id }, parent }) => (parent ? `${parent.id}/${id}` : id));
  expect(seen).toEqual(['a', 'a/b', 'b/c', 'b/d', 'r', 'r/s', 'e']);
});

test('a node that no walk can reach is not listed, and the nodes of a loop are listed once', () => {
  const loop = node('a', { next: cases({ again: 'a', on: 'b' }) });
  const region = walk(loop, node('b', { next: to('c') }), node('c', { next: end('pass') }), node('x', { next: to('b') }));
  expect([...reachableNodes(region)].map(({ node: { id } }) => id)).toEqual(['a', 'b', 'c']);
});
