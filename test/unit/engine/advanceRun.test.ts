import { expect, test } from 'vitest';
import { cases, end, inTurn, node, nodes, play, side, walk } from './play.js';

test('a node with a body begins, its body runs, and then the node finishes', () => {
  const run = play(walk(node('g', { body: walk(node('a', { next: end('pass') })), next: end('pass') })));
  expect(run.start()).toEqual(['run g']);
  expect(run.enter('g')).toEqual(['run g/a']);
  expect(run.pass('g/a')).toEqual(['finish g: pass']);
  expect(run.pass('g')).toEqual(['done pass']);
});

test('the status of a body is reported to its node, and the status of the node counts', () => {
  const run = play(inTurn(node('g', { body: inTurn(...nodes('a')) }), node('b')));
  run.start();
  run.enter('g');
  expect(run.fail('g/a')).toEqual(['finish g: fail']);
  expect(run.pass('g')).toEqual(['run b']);
});

test('the body of a skipped node never runs', () => {
  const run = play(inTurn(node('g', { body: inTurn(...nodes('a')) }), node('b')));
  run.start();
  expect(run.skip('g')).toEqual(['run b']);
});

test('a batch of nodes that would exceed the limit of steps does not start, and the run fails', () => {
  const run = play(inTurn(node('g', { body: side(3, ...nodes('abc')) })), { stepsPerRun: 3 });
  run.start();
  expect(run.enter('g')).toEqual(['finish g: fail']);
  expect(run.fail('g')).toEqual(['done fail: The run took 3 steps, the limit.']);
});

test('a run may take exactly as many steps as the limit', () => {
  const run = play(inTurn(...nodes('ab')), { stepsPerRun: 2 });
  run.start();
  run.pass('a');
  expect(run.pass('b')).toEqual(['done pass']);
});

test('the count of visits begins again each time a body is entered', () => {
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

test('the engine refuses the end of a node that is not running, and the start of a body that does not exist', () => {
  const run = play(inTurn(...nodes('ab')));
  run.start();
  expect(() => run.pass('b')).toThrow('Run b is not running.');
  expect(() => run.enter('a')).toThrow('Run a was entered, but it has no body.');
});
