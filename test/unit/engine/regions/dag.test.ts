import { expect, test } from 'vitest';
import { dag, node, nodes, play } from '../play.js';

test('the roots of a graph start together, and a join waits for all its parents', () => {
  const run = play(dag(nodes('abc'), 'a > c', 'b > c'));
  expect(run.start()).toEqual(['run a', 'run b']);
  expect(run.pass('a')).toEqual([]);
  expect(run.pass('b')).toEqual(['run c']);
  expect(run.pass('c')).toEqual(['done pass']);
});

test('a join runs when only one of its edges fired', () => {
  const run = play(dag(nodes('abc'), 'a ? c', 'b ? c'));
  run.start();
  run.pass('a', { fired: [0] });
  expect(run.pass('b')).toEqual(['run c']);
});

test('a node without a fired edge is skipped, with every node that depends only on it', () => {
  const run = play(dag(nodes('abcd'), 'a ? b', 'b > c', 'a > d', 'c > d'));
  run.start();
  expect(run.pass('a')).toEqual(['skip b', 'skip c', 'run d']);
});

test('the fired edges of a node are indexes into its outgoing edges in written order', () => {
  const run = play(dag(nodes('abcd'), 'a > b', 'a ? c', 'a ? d'));
  run.start();
  expect(run.pass('a', { fired: [2] })).toEqual(['run b', 'skip c', 'run d']);
});

test('a skipped node fires no edge, even when the event names some', () => {
  const run = play(dag(nodes('abc'), 'a > b', 'a ? c'));
  run.start();
  expect(run.skip('a', { fired: [1] })).toEqual(['skip b', 'skip c', 'done pass']);
});

test('the edges of a node with a tolerated failure fire as after a pass', () => {
  const run = play(dag([node('a', { onFail: 'continue' }), ...nodes('bc')], 'a > b', 'a ? c'));
  run.start();
  expect(run.fail('a', { fired: [1] })).toEqual(['run b', 'run c']);
});

test('after a failure that stops the graph, no node starts or is skipped', () => {
  const run = play(dag(nodes('abcd'), 'a > c', 'b ? d'));
  run.start();
  expect(run.fail('a')).toEqual([]);
  expect(run.pass('b')).toEqual(['done fail']);
});

test('a back edge that fired runs its target and the nodes after it again', () => {
  const run = play(dag(nodes('abc'), 'a > b', 'b ? a', 'b > c'));
  run.start();
  run.pass('a');
  expect(run.pass('b', { fired: [0] })).toEqual(['run a#2']);
  expect(run.pass('a#2')).toEqual(['run b#2']);
  expect(run.pass('b#2')).toEqual(['run c']);
  expect(run.pass('c')).toEqual(['done pass']);
});

test('a loop restarts when none of its nodes is running, and the nodes after it wait until then', () => {
  const run = play(dag(nodes('tsuvw'), 't > s', 't > u', 't > w', 'u > v', 's ? t'));
  run.start();
  expect(run.pass('t')).toEqual(['run s', 'run u', 'run w']);
  expect(run.pass('s', { fired: [0] })).toEqual([]);
  expect(run.pass('u')).toEqual([]);
  expect(run.pass('w')).toEqual(['run t#2']);
  expect(run.pass('t#2')).toEqual(['run s#2', 'run u#2', 'run w#2']);
  expect(run.pass('u#2')).toEqual(['run v']);
});

test('nodes outside a loop continue while it restarts', () => {
  const run = play(dag(nodes('tsxy'), 't > s', 's ? t', 'x > y'));
  expect(run.start()).toEqual(['run t', 'run x']);
  run.pass('t');
  expect(run.pass('s', { fired: [0] })).toEqual(['run t#2']);
  expect(run.pass('x')).toEqual(['run y']);
});

test('edges that fired in an earlier round do not count in the next', () => {
  const run = play(dag(nodes('tsu'), 't ? u', 't > s', 's ? t', 's ? u'));
  run.start();
  run.pass('t', { fired: [0] });
  run.pass('s', { fired: [0] });
  run.pass('t#2');
  expect(run.pass('s#2')).toEqual(['skip u', 'done pass']);
});

test('a node with an edge to itself runs again until that edge no longer fires', () => {
  const run = play(dag(nodes('ab'), 'a ? a', 'a > b'));
  expect(run.start()).toEqual(['run a']);
  expect(run.pass('a', { fired: [0] })).toEqual(['run a#2']);
  expect(run.pass('a#2')).toEqual(['run b']);
});

test('a loop that fires without a condition is stopped by the limit of visits', () => {
  const run = play(dag(nodes('ab'), 'a > b', 'b > a'), { visitsPerNode: 2 });
  run.start();
  run.pass('a');
  run.pass('b');
  run.pass('a#2');
  expect(run.pass('b#2')).toEqual(['done fail: Node "a" was visited 2 times, the limit: a → b → a.']);
});

test('when two loops restart at once, the outer loop comes first, in any written order of the edges', () => {
  const outerFirst = play(dag(nodes('abs'), 'a > b', 'b > s', 's ? a', 's ? b'));
  const innerFirst = play(dag(nodes('abs'), 'a > b', 'b > s', 's ? b', 's ? a'));
  for (const run of [outerFirst, innerFirst]) {
    run.start();
    run.pass('a');
    run.pass('b');
    expect(run.pass('s', { fired: [0, 1] })).toEqual(['run a#2']);
    expect(run.pass('a#2')).toEqual(['run b#2']);
  }
});

test('an inner loop waits while the loop around it waits to restart', () => {
  const run = play(dag(nodes('abws'), 'a > b', 'a > w', 'b > s', 's ? b', 's ? a'));
  run.start();
  run.pass('a');
  run.pass('b');
  expect(run.pass('s', { fired: [0, 1] })).toEqual([]);
  expect(run.pass('w')).toEqual(['run a#2']);
});
