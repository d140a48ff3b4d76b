import { expect, test } from 'vitest';
import { inTurn, node, nodes, pipe, play, side, walk } from '../play.js';

test('children side by side start together, and the region is over after the last', () => {
  const run = play(side(9, ...nodes('abc')));
  expect(run.start()).toEqual(['run a', 'run b', 'run c']);
  expect(run.pass('b')).toEqual([]);
  expect(run.skip('a')).toEqual([]);
  expect(run.pass('c')).toEqual(['done pass']);
});

test('a limit lets the next child in as one leaves', () => {
  const run = play(side(2, ...nodes('abcd')));
  expect(run.start()).toEqual(['run a', 'run b']);
  expect(run.pass('b')).toEqual(['run c']);
  expect(run.pass('c')).toEqual(['run d']);
});

test('a failure lets in nobody else, and what is in flight goes on', () => {
  const run = play(side(2, ...nodes('abc')));
  run.start();
  expect(run.fail('a')).toEqual([]);
  expect(run.pass('b')).toEqual(['done fail']);
});

test('the worse of two failures is the verdict, whichever comes first', () => {
  const first = play(side(2, ...nodes('ab')));
  first.start();
  first.fail('a');
  expect(first.unknown('b')).toEqual(['done fail']);
  const last = play(side(2, ...nodes('ab')));
  last.start();
  last.unknown('a');
  expect(last.fail('b')).toEqual(['done fail']);
});

test('a tolerated failure lets the next child in and leaves a pass', () => {
  const run = play(inTurn(node('a', { onFail: 'continue' }), node('b')));
  run.start();
  expect(run.unknown('a')).toEqual(['run b']);
  expect(run.pass('b')).toEqual(['done pass']);
});

test('in turn, each child is fed by the one before when output is piped', () => {
  const run = play(pipe(...nodes('abc')));
  expect(run.start()).toEqual(['run a']);
  expect(run.pass('a')).toEqual(['run b < a']);
  expect(run.pass('b')).toEqual(['run c < b']);
});

test('a skipped child hands on what it was given', () => {
  const run = play(pipe(...nodes('abc')));
  run.start();
  run.pass('a');
  expect(run.skip('b')).toEqual(['run c < a']);
});

test('a first child that is skipped has nothing to hand on', () => {
  const run = play(pipe(...nodes('ab')));
  run.start();
  expect(run.skip('a')).toEqual(['run b']);
});

test('a tolerated failure and a retried child hand on the output of their last attempt', () => {
  const run = play(pipe(node('a', { onFail: 'continue', attempts: 2 }), node('b', { attempts: 2 }), node('c')));
  run.start();
  expect(run.fail('a')).toEqual(['run a@1']);
  expect(run.fail('a@1')).toEqual(['run b < a@1']);
  expect(run.fail('b')).toEqual(['run b@1 < a@1']);
  expect(run.pass('b@1')).toEqual(['run c < b@1']);
});

test('the first child inside a piped group is fed with what the group was given', () => {
  const run = play(pipe(node('a'), node('g', { body: pipe(...nodes('xy')) }), node('z')));
  run.start();
  expect(run.pass('a')).toEqual(['run g < a']);
  expect(run.enter('g')).toEqual(['run g/x < a']);
  expect(run.pass('g/x')).toEqual(['run g/y < g/x']);
  expect(run.pass('g/y')).toEqual(['finish g: pass']);
  expect(run.pass('g')).toEqual(['run z < g']);
});

test('without a pipe nothing is fed', () => {
  const run = play(inTurn(...nodes('ab')));
  run.start();
  expect(run.pass('a')).toEqual(['run b']);
});

test('a region without children is over at once', () => {
  const run = play(walk(node('g', { body: side(3) })));
  run.start();
  expect(run.enter('g')).toEqual(['finish g: pass']);
  expect(run.pass('g')).toEqual(['done pass']);
});
