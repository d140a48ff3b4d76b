import { expect, test } from 'vitest';
import type { Dag } from '../../../src/engine/plan.js';
import { dag, node, nodes } from './play.js';

test('an edge to a node on the way to its source leads back, the others do not', () => {
  expect(backEdges(dag(nodes('abc'), 'a > b', 'b > c', 'c > b', 'a > c'))).toEqual(['c > b']);
});

test('a diamond has no back edge', () => {
  expect(backEdges(dag(nodes('abcd'), 'a > b', 'a > c', 'b > d', 'c > d'))).toEqual([]);
});

test('an edge from a node to itself leads back', () => {
  expect(backEdges(dag(nodes('ab'), 'a > a', 'a > b'))).toEqual(['a > a']);
});

test('a cycle nothing leads to begins at the node written first', () => {
  expect(backEdges(dag(nodes('abc'), 'b > c', 'c > a', 'a > b'))).toEqual(['c > a']);
  expect(backEdges(dag(nodes('cab'), 'b > c', 'c > a', 'a > b'))).toEqual(['b > c']);
});

test('a cycle something leads to begins where that enters, whatever is written first', () => {
  expect(backEdges(dag(nodes('abr'), 'a > b', 'b > a', 'r > b'))).toEqual(['a > b']);
});

test('edges keep the order they are written in, at both ends', () => {
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
