import { expect, test } from 'vitest';
import { cases, end, node, play, to, walk } from '../play.js';

test('a walk follows "next" to an end node, which decides the status', () => {
  const run = play(walk(node('a', { next: to('b') }), node('b', { next: end('unknown') })));
  expect(run.start()).toEqual(['run a']);
  expect(run.pass('a')).toEqual(['run b']);
  expect(run.pass('b')).toEqual(['done unknown']);
});

test('a walk continues after a skipped node as after a passed one', () => {
  const run = play(walk(node('a', { next: to('b') }), node('b', { next: end('pass') })));
  run.start();
  expect(run.skip('a')).toEqual(['run b']);
});

test('a walk whose end node was skipped is unknown', () => {
  const run = play(walk(node('a', { next: end('pass') })));
  run.start();
  expect(run.skip('a')).toEqual(['done unknown']);
});

test('a failure stops the walk', () => {
  const run = play(walk(node('a', { next: to('b') }), node('b', { next: end('pass') })));
  run.start();
  expect(run.fail('a')).toEqual(['done fail']);
});

test('a walk continues after a tolerated failure, with the reported case', () => {
  const run = play(walk(node('a', { onFail: 'continue', next: cases({ bad: 'b' }) }), node('b', { next: end('pass') })));
  run.start();
  expect(run.fail('a', { case: 'bad' })).toEqual(['run b']);
  expect(run.pass('b')).toEqual(['done pass']);
});

test('a walk follows the reported case, or "default" without one', () => {
  const region = walk(
    node('a', { next: cases({ left: 'b', default: 'c' }) }),
    node('b', { next: end('pass') }),
    node('c', { next: end('fail') }),
  );
  const left = play(region);
  left.start();
  expect(left.pass('a', { case: 'left' })).toEqual(['run b']);
  const withoutCase = play(region);
  withoutCase.start();
  expect(withoutCase.pass('a')).toEqual(['run c']);
});

test('a case without a target ends the walk as unknown, and does not use the default', () => {
  const run = play(walk(node('a', { next: cases({ default: 'b' }) }), node('b', { next: end('pass') })));
  run.start();
  expect(run.pass('a', { case: 'right' })).toEqual(['done unknown']);
});

test('each visit of a node has its own path', () => {
  const run = play(
    walk(
      node('a', { next: to('b') }),
      node('b', { next: cases({ again: 'a', default: 'c' }) }),
      node('c', { next: end('pass') }),
    ),
  );
  run.start();
  run.pass('a');
  expect(run.pass('b', { case: 'again' })).toEqual(['run a#2']);
  expect(run.pass('a#2')).toEqual(['run b#2']);
  expect(run.pass('b#2')).toEqual(['run c']);
});

test('a loop past the limit of visits fails the run and prints the cycle', () => {
  const run = play(walk(node('a', { next: to('b') }), node('b', { next: to('a') })), { visitsPerNode: 2 });
  run.start();
  run.pass('a');
  run.pass('b');
  run.pass('a#2');
  expect(run.pass('b#2')).toEqual(['done fail: Node "a" was visited 2 times, the limit: a → b → a.']);
});

test('an entry that does not exist throws an error about the plan', () => {
  expect(() => play({ kind: 'walk', entry: 'x', nodes: new Map() }).start()).toThrow('The plan has no node "x".');
});
