import { expect, test } from 'vitest';
import { cases, end, inTurn, node, nodes, play, side, walk } from './play.js';

test('a node with a body begins, its body runs, and it ends after being told to finish', () => {
  const run = play(walk(node('g', { body: walk(node('a', { next: end('pass') })), next: end('pass') })));
  expect(run.start()).toEqual(['run g']);
  expect(run.enter('g')).toEqual(['run g/a']);
  expect(run.pass('g/a')).toEqual(['finish g: pass']);
  expect(run.pass('g')).toEqual(['done pass']);
});

test('the end of a body is only told; what its node makes of it is what counts', () => {
  const run = play(inTurn(node('g', { body: inTurn(...nodes('a')) }), node('b')));
  run.start();
  run.enter('g');
  expect(run.fail('g/a')).toEqual(['finish g: fail']);
  expect(run.pass('g')).toEqual(['run b']);
});

test('a node with a body that is gated off is never entered', () => {
  const run = play(inTurn(node('g', { body: inTurn(...nodes('a')) }), node('b')));
  run.start();
  expect(run.skip('g')).toEqual(['run b']);
});

test('a run that would take more steps than allowed starts none of the batch and fails', () => {
  const run = play(inTurn(node('g', { body: side(3, ...nodes('abc')) })), { stepsPerRun: 3 });
  run.start();
  expect(run.enter('g')).toEqual(['finish g: fail']);
  expect(run.fail('g')).toEqual(['done fail: The run took 3 steps, the limit.']);
});

test('as many steps as allowed are no failure', () => {
  const run = play(inTurn(...nodes('ab')), { stepsPerRun: 2 });
  run.start();
  run.pass('a');
  expect(run.pass('b')).toEqual(['done pass']);
});

test('visits are counted anew each time a body is entered', () => {
  const inner = walk(node('x', { next: cases({ again: 'x', default: 'y' }) }), node('y', { next: end('pass') }));
  const run = play(inTurn(node('g', { body: inner }), node('h', { body: inner })), { visitsPerNode: 1 });
  run.start();
  run.enter('g');
  run.pass('g/x');
  run.pass('g/y');
  run.pass('g');
  expect(run.enter('h')).toEqual(['run h/x']);
  expect(run.pass('h/x', { case: 'again' })).toEqual(['finish h: fail']);
});

test('what is not in flight cannot settle, and what has no body cannot be entered', () => {
  const run = play(inTurn(...nodes('ab')));
  run.start();
  expect(() => run.pass('b')).toThrow('Run b is not in flight.');
  expect(() => run.enter('a')).toThrow('Run a was entered but has no body.');
});
