import { expect, test } from 'vitest';
import { inTurn, node, nodes, play, side } from './play.js';

test('an abort at any depth cancels every running node, and no other starts', () => {
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

test('a node whose body is entered while the run is ending finishes at once', () => {
  const run = play(side(2, node('a', { onFail: 'abort' }), node('g', { body: inTurn(...nodes('x')) })));
  run.start();
  expect(run.fail('a')).toEqual(['cancel g']);
  expect(run.enter('g')).toEqual(['finish g: fail']);
  expect(run.unknown('g')).toEqual(['done fail']);
});

test('a cancelled node is not retried', () => {
  const run = play(side(2, node('a', { onFail: 'abort' }), node('b', { attempts: 3, recover: node('r') })));
  run.start();
  run.fail('a');
  expect(run.unknown('b')).toEqual(['done fail']);
});

test('an interrupted run cancels its running nodes, starts no other and is unknown', () => {
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

test('exceeding the limit of steps cancels the running nodes', () => {
  const run = play(side(2, ...nodes('abc')), { stepsPerRun: 2 });
  run.start();
  expect(run.pass('a')).toEqual(['cancel b']);
  expect(run.unknown('b')).toEqual(['done fail: The run took 2 steps, the limit.']);
});

test('an abort with status unknown does not hide an earlier failure', () => {
  const run = play(side(2, node('a'), node('b', { onFail: 'abort' })));
  run.start();
  run.fail('a');
  expect(run.unknown('b')).toEqual(['done fail']);
});

test('an abort with status unknown does not hide a failure that comes while the run is ending', () => {
  const run = play(side(2, node('a', { onFail: 'abort' }), node('b', { attempts: 2 })));
  run.start();
  run.unknown('a');
  expect(run.fail('b')).toEqual(['done fail']);
});

test('an interruption does not hide an earlier failure', () => {
  const run = play(side(2, ...nodes('ab')));
  run.start();
  run.fail('a');
  run.stop();
  expect(run.unknown('b')).toEqual(['done fail: Someone pressed a key.']);
});

test('the worst of two aborts decides the status of the run', () => {
  const group = node('g', { onFail: 'continue', body: inTurn(node('x', { onFail: 'abort' })) });
  const run = play(side(2, node('a', { onFail: 'abort' }), group));
  run.start();
  run.enter('g');
  run.unknown('a');
  run.fail('g/x');
  expect(run.pass('g')).toEqual(['done fail']);
});

test('a node that finishes because of an abort in its body is not cancelled too', () => {
  const run = play(inTurn(node('g', { body: inTurn(node('a', { onFail: 'abort' })) })));
  run.start();
  run.enter('g');
  expect(run.fail('g/a')).toEqual(['finish g: fail']);
});
