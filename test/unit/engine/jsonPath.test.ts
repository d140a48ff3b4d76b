import { describe, expect, test } from 'vitest';
import { parsePath, readKeys, readPath } from '../../../src/engine/jsonPath.js';

describe('parsing a path', () => {
  test.each([
    ['$', []],
    ['$.a', ['a']],
    ['$.a.b-c.d_e', ['a', 'b-c', 'd_e']],
    ['$.a[0][12].b', ['a', '0', '12', 'b']],
    ["$['odd key']", ['odd key']],
    ['$["odd key"].a', ['odd key', 'a']],
    ["$['']", ['']],
    ["$['a.b[0]']", ['a.b[0]']],
    [String.raw`$['it\'s']`, ["it's"]],
    [String.raw`$["a \"b\" \\ c"]`, ['a "b" \\ c']],
    ['$.größe.日本', ['größe', '日本']],
  ])('the path %s is read as keys', (path, keys) => {
    expect(parsePath(path)).toEqual(keys);
  });

  test.each([
    '',
    'a',
    '.a',
    '$a',
    '$.',
    '$..a',
    '$.a.',
    '$.a b',
    '$[a]',
    '$[-1]',
    '$[1.5]',
    '$[]',
    '$[0',
    "$['a",
    "$['a]",
    '$[*]',
    ' $',
    '$ ',
    '$.a]',
  ])('%j is not a path', (path) => {
    expect(parsePath(path)).toBeUndefined();
  });

  test.each(['$.__proto__', "$['constructor']", '$.a.prototype.b', String.raw`$['\__proto__']`])(
    'the path %s is refused, because of a forbidden key',
    (path) => {
      expect(parsePath(path)).toBeUndefined();
    },
  );

  test('a path after a refused one is read from its beginning', () => {
    parsePath('$.a.b.c!..');
    expect(parsePath('$.a')).toEqual(['a']);
  });
});

describe('reading a path', () => {
  const root = { a: { b: [10, { c: null }] }, zero: 0, no: undefined, 'odd key': '' };

  test.each([
    ['$', root],
    ['$.a.b[0]', 10],
    ['$.a.b[1].c', null],
    ['$.zero', 0],
    ["$['odd key']", ''],
    ['$.a.b.0', 10],
  ])('the value at %s is found', (path, value) => {
    expect(readPath(root, path)).toEqual({ found: true, value });
  });

  test.each(['$.x', '$.a.b[2]', '$.a.b[1].c.d', '$.zero.x', '$.no', '$.a.b.length', "$['odd key'].length", '$.a.b[00]', 'a'])(
    'the value at %s is missing',
    (path) => {
      expect(readPath(root, path)).toEqual({ found: false });
    },
  );

  test('a path finds own properties and no inherited ones', () => {
    expect(readPath(Object.create({ inherited: 1 }), '$.inherited')).toEqual({ found: false });
    expect(readPath({}, '$.toString')).toEqual({ found: false });
    expect(readPath({ toString: 1 }, '$.toString')).toEqual({ found: true, value: 1 });
    expect(readKeys(JSON.parse('{}'), ['__proto__'])).toEqual({ found: false });
  });

  test('the path $ finds null, but not undefined', () => {
    expect(readPath(undefined, '$')).toEqual({ found: false });
    expect(readPath(null, '$')).toEqual({ found: true, value: null });
  });
});
