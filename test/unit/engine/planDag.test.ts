import { expect, test } from 'vitest';
import type { Dag } from '../../../src/engine/plan.js';
import { dag, node, nodes } from './play.js';

test('an edge to an ancestor of its source is a back edge, other edges are not', () => {
  expect(backEdges(dag(nodes('abc'), 'a > b', 'b > c', 'c > b', 'a > c'))).toEqual(['c > b']);
});

test('a diamond has no back edge', () => {
  expect(backEdges(dag(nodes('abcd'), 'a > b', 'a > c', 'b > d', 'c > d'))).toEqual([]);
});

test('an edge from a node to itself is a back edge', () => {
  expect(backEdges(dag(nodes('ab'), 'a > a', 'a > b'))).toEqual(['a > a']);
});

test('a cycle without incoming edges begins at the node written first', () => {
  expect(backEdges(dag(nodes('abc'), 'b > c', 'c > a', 'a > b'))).toEqual(['c > a']);
  expect(backEdges(dag(nodes('cab'), 'b > c', 'c > a', 'a > b'))).toEqual(['b > c']);
});

test('a cycle with an incoming edge begins at the target of that edge, even if another node is written first', () => {
  expect(backEdges(dag(nodes('abr'), 'a > b', 'b > a', 'r > b'))).toEqual(['a > b']);
});

test('edges keep their written order, by source and by target', () => {
  const { out, into } = dag(nodes('abc'), 'a > c', 'a ? b', 'b > c');
  expect(out.get('a')?.map(({ to, conditional }) => (conditional ? `? ${to}` : `> ${to}`))).toEqual(['> c', '? b']);
  expect(into.get('c')?.map(({ from }) => from)).toEqual(['a', 'b']);
  expect(into.get('a')).toBeUndefined();
});

test('a chain of ten thousand nodes does not exhaust the stack', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
  const chain = ids.slice(1).map((id, index) => `${ids[index]} > ${id}`);
  const long = dag(
    ids.map((id) => node(id)),
    ...chain,
    'n9999 > n0',
  );
  expect(backEdges(long)).toEqual(['n9999 > n0']);
});

function backEdges({ out }: Dag): string[] {
  const edges = [...out.values()].flat().filter(({ back }) => back);
  return edges.map(({ from, to }) => `${from} > ${to}`);
}
