import { expect, test } from 'vitest';
import { each, inTurn, node, play } from '../play.js';

const over = (limit: number) => play(inTurn(node('g', { body: each(limit, node('a')) })));

test('one child per item starts in order, at most the limit at once', () => {
  const run = over(2);
  run.start();
  expect(run.enter('g', 4)).toEqual(['run g/a[0]', 'run g/a[1]']);
  expect(run.pass('g/a[1]')).toEqual(['run g/a[2]']);
  expect(run.pass('g/a[2]')).toEqual(['run g/a[3]']);
  expect(run.pass('g/a[0]')).toEqual([]);
  expect(run.pass('g/a[3]')).toEqual(['finish g: pass']);
});

test('fewer items than the limit start all at once', () => {
  const run = over(5);
  run.start();
  expect(run.enter('g', 2)).toEqual(['run g/a[0]', 'run g/a[1]']);
});

test('a body with no items ends at once', () => {
  const run = over(5);
  run.start();
  expect(run.enter('g', 0)).toEqual(['finish g: pass']);
});

test('a failed item keeps the next one from starting', () => {
  const run = over(1);
  run.start();
  run.enter('g', 3);
  expect(run.fail('g/a[0]')).toEqual(['finish g: fail']);
});

test('every item has attempts of its own', () => {
  const run = play(inTurn(node('g', { body: each(2, node('a', { attempts: 2 })) })));
  run.start();
  run.enter('g', 2);
  expect(run.fail('g/a[1]')).toEqual(['run g/a[1]@1']);
  expect(run.fail('g/a[0]')).toEqual(['run g/a[0]@1']);
});

test('the limit of visits counts for each item, not for all items of a node', () => {
  const run = play(inTurn(node('g', { body: each(1, node('a')) })), { visitsPerNode: 1 });
  run.start();
  run.enter('g', 3);
  expect(run.pass('g/a[0]')).toEqual(['run g/a[1]']);
  expect(run.pass('g/a[1]')).toEqual(['run g/a[2]']);
});
