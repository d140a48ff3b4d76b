import { expect, test } from 'vitest';
import { inTurn, node, nodes, pipe, play, side, walk } from '../play.js';

test('parallel children start together, and the region ends after the last one', () => {
  const run = play(side(9, ...nodes('abc')));
  expect(run.start()).toEqual(['run a', 'run b', 'run c']);
  expect(run.pass('b')).toEqual([]);
  expect(run.skip('a')).toEqual([]);
  expect(run.pass('c')).toEqual(['done pass']);
});

test('with a limit, the next child starts when one ends', () => {
  const run = play(side(2, ...nodes('abcd')));
  expect(run.start()).toEqual(['run a', 'run b']);
  expect(run.pass('b')).toEqual(['run c']);
  expect(run.pass('c')).toEqual(['run d']);
});

test('after a failure no other child starts, and running children continue', () => {
  const run = play(side(2, ...nodes('abc')));
  run.start();
  expect(run.fail('a')).toEqual([]);
  expect(run.pass('b')).toEqual(['done fail']);
});

test('the worst of two failed children decides the status, in any order', () => {
  const first = play(side(2, ...nodes('ab')));
  first.start();
  first.fail('a');
  expect(first.unknown('b')).toEqual(['done fail']);
  const last = play(side(2, ...nodes('ab')));
  last.start();
  last.unknown('a');
  expect(last.fail('b')).toEqual(['done fail']);
});

test('after a tolerated failure the next child starts, and the region passes', () => {
  const run = play(inTurn(node('a', { onFail: 'continue' }), node('b')));
  run.start();
  expect(run.unknown('a')).toEqual(['run b']);
  expect(run.pass('b')).toEqual(['done pass']);
});

test('in a piped sequence each child gets the output of the one before', () => {
  const run = play(pipe(...nodes('abc')));
  expect(run.start()).toEqual(['run a']);
  expect(run.pass('a')).toEqual(['run b < a']);
  expect(run.pass('b')).toEqual(['run c < b']);
});

test('the child after a skipped child gets the input of the skipped one', () => {
  const run = play(pipe(...nodes('abc')));
  run.start();
  run.pass('a');
  expect(run.skip('b')).toEqual(['run c < a']);
});

test('the child after a skipped first child gets no input', () => {
  const run = play(pipe(...nodes('ab')));
  run.start();
  expect(run.skip('a')).toEqual(['run b']);
});

test('a child gets the output of the last attempt of the child before, even after a tolerated failure', () => {
  const run = play(pipe(node('a', { onFail: 'continue', attempts: 2 }), node('b', { attempts: 2 }), node('c')));
  run.start();
  expect(run.fail('a')).toEqual(['run a@1']);
  expect(run.fail('a@1')).toEqual(['run b < a@1']);
  expect(run.fail('b')).toEqual(['run b@1 < a@1']);
  expect(run.pass('b@1')).toEqual(['run c < b@1']);
});

test('the first child of a piped group gets the input of the group', () => {
  const run = play(pipe(node('a'), node('g', { body: pipe(...nodes('xy')) }), node('z')));
  run.start();
  expect(run.pass('a')).toEqual(['run g < a']);
  expect(run.enter('g')).toEqual(['run g/x < a']);
  expect(run.pass('g/x')).toEqual(['run g/y < g/x']);
  expect(run.pass('g/y')).toEqual(['finish g: pass']);
  expect(run.pass('g')).toEqual(['run z < g']);
});

test('without a pipe no child gets an input', () => {
  const run = play(inTurn(...nodes('ab')));
  run.start();
  expect(run.pass('a')).toEqual(['run b']);
});

test('a region without children ends at once', () => {
  const run = play(walk(node('g', { body: side(3) })));
  run.start();
  expect(run.enter('g')).toEqual(['finish g: pass']);
  expect(run.pass('g')).toEqual(['done pass']);
});
