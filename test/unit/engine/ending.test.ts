import { expect, test } from 'vitest';
import { inTurn, node, nodes, play, side } from './play.js';

test('an abort deep inside cancels what is in flight everywhere and starts nothing more', () => {
  const deep = node('g', { onFail: 'continue', body: inTurn(node('a', { onFail: 'abort' }), node('b')) });
  const run = play(side(2, deep, node('h', { body: side(2, ...nodes('xy')) }), node('z')));
  run.start();
  run.enter('g');
  run.enter('h');
  expect(run.fail('g/a')).toEqual(['finish g: fail', 'cancel h/x', 'cancel h/y']);
  expect(run.unknown('h/x')).toEqual([]);
  expect(run.unknown('h/y')).toEqual(['finish h: fail']);
  expect(run.unknown('h')).toEqual([]);
  expect(run.fail('g')).toEqual(['done fail']);
});

test('a run that is entered after the run began to end is told to finish at once', () => {
  const run = play(side(2, node('a', { onFail: 'abort' }), node('g', { body: inTurn(...nodes('x')) })));
  run.start();
  expect(run.fail('a')).toEqual(['cancel g']);
  expect(run.enter('g')).toEqual(['finish g: fail']);
  expect(run.unknown('g')).toEqual(['done fail']);
});

test('a cancelled run has no other attempt', () => {
  const run = play(side(2, node('a', { onFail: 'abort' }), node('b', { attempts: 3, recover: node('r') })));
  run.start();
  run.fail('a');
  expect(run.unknown('b')).toEqual(['done fail']);
});

test('an interrupted run cancels what is in flight, starts nothing more and is unknown', () => {
  const run = play(side(2, ...nodes('abc')));
  run.start();
  expect(run.stop()).toEqual(['cancel a', 'cancel b']);
  expect(run.pass('a')).toEqual([]);
  expect(run.unknown('b')).toEqual(['done unknown: Someone pressed a key.']);
});

test('a second interruption changes nothing', () => {
  const run = play(side(2, ...nodes('ab')));
  run.start();
  run.stop();
  expect(run.stop()).toEqual([]);
  run.unknown('a');
  expect(run.unknown('b')).toEqual(['done unknown: Someone pressed a key.']);
});

test('a budget that is used up cancels what is in flight', () => {
  const run = play(side(2, ...nodes('abc')), { stepsPerRun: 2 });
  run.start();
  expect(run.pass('a')).toEqual(['cancel b']);
  expect(run.unknown('b')).toEqual(['done fail: The run took 2 steps, the limit.']);
});

test('an abort as unknown does not hide a failure from before', () => {
  const run = play(side(2, node('a'), node('b', { onFail: 'abort' })));
  run.start();
  run.fail('a');
  expect(run.unknown('b')).toEqual(['done fail']);
});

test('an abort as unknown does not hide a failure that comes while the run is ending', () => {
  const run = play(side(2, node('a', { onFail: 'abort' }), node('b', { attempts: 2 })));
  run.start();
  run.unknown('a');
  expect(run.fail('b')).toEqual(['done fail']);
});

test('an interruption does not hide a failure from before', () => {
  const run = play(side(2, ...nodes('ab')));
  run.start();
  run.fail('a');
  run.stop();
  expect(run.unknown('b')).toEqual(['done fail: Someone pressed a key.']);
});

test('the worse of two aborts is the verdict', () => {
  const group = node('g', { onFail: 'continue', body: inTurn(node('x', { onFail: 'abort' })) });
  const run = play(side(2, node('a', { onFail: 'abort' }), group));
  run.start();
  run.enter('g');
  run.unknown('a');
  run.fail('g/x');
  expect(run.pass('g')).toEqual(['done fail']);
});

test('a node that is told to finish because of an abort in its body is not cancelled as well', () => {
  const run = play(inTurn(node('g', { body: inTurn(node('a', { onFail: 'abort' })) })));
  run.start();
  run.enter('g');
  expect(run.fail('g/a')).toEqual(['finish g: fail']);
});
