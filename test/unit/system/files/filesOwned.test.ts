// Whose a directory is, and what may be done below it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDirectory, withFileBelow, writeNewFile } from '../../../../src/system/files/dirHandle.js';
import {
  claimDirectory,
  claimRunDirectory,
  moveDirectory,
  releaseRunDirectory,
  removeIfReplaceable,
  removeReplaceableIn,
} from '../../../../src/system/files/ownDirectory.js';
import { resolveInside } from '../../../../src/system/files/resolveInside.js';
import { folder } from '../../../faults/mounts.js';

describe('a directory', () => {
  test('is taken once, whether it is new or empty', () => {
    const dir = folder();
    mkdirSync(join(dir, 'empty'));
    expect(claimRunDirectory(join(dir, 'deep/new'))).toEqual({ isTaken: true, isNew: true });
    expect(claimRunDirectory(join(dir, 'empty'))).toEqual({ isTaken: true, isNew: false });
    for (const name of ['deep/new', 'empty'])
      expect(claimRunDirectory(join(dir, name))).toEqual({ isTaken: false, belongsTo: 'another run' });
    expect(claimRunDirectory(dir)).toEqual({ isTaken: false, belongsTo: 'others' });
  });

  test('is given back as it was', () => {
    const dir = folder();
    mkdirSync(join(dir, 'empty'));
    for (const name of ['new', 'empty']) {
      const taking = claimRunDirectory(join(dir, name));
      releaseRunDirectory(join(dir, name), taking.isTaken && taking.isNew);
    }
    expect([readdirSync(dir), readdirSync(join(dir, 'empty'))]).toEqual([['empty'], []]);
    claimRunDirectory(join(dir, 'new'));
    writeFileSync(join(dir, 'new/mine'), '');
    releaseRunDirectory(join(dir, 'new'), true);
    expect(readdirSync(join(dir, 'new'))).toEqual(['mine']);
  });

  test('of one run is neither claimed nor removed nor moved over, and one that is replaceable is', () => {
    const dir = folder();
    const [kept, other, results] = [join(dir, 'kept'), join(dir, 'other'), join(dir, 'results')];
    claimRunDirectory(kept);
    mkdirSync(other);
    writeFileSync(join(other, '.recipewright'), 'somebody else wrote this');
    claimDirectory(results);
    for (const foreign of [kept, other]) {
      expect(() => claimDirectory(foreign)).toThrow('Choose another directory, or empty this one.');
      removeIfReplaceable(foreign);
      expect(() => moveDirectory(results, foreign)).toThrow('Choose another directory, or empty this one.');
    }
    writeFileSync(join(results, 'old'), '');
    claimDirectory(results);
    expect(readdirSync(results)).toEqual(['.recipewright']);
    removeReplaceableIn(dir);
    expect(readdirSync(dir)).toEqual(['kept', 'other']);
  });

  test('moves to a place that is free, or its own', () => {
    const dir = folder();
    for (const name of ['a', 'b']) claimDirectory(join(dir, name));
    writeFileSync(join(dir, 'a/new'), '');
    moveDirectory(join(dir, 'a'), join(dir, 'b'));
    moveDirectory(join(dir, 'b'), join(dir, 'deep/c'));
    moveDirectory(join(dir, 'nowhere'), join(dir, 'deep/c'));
    expect([readdirSync(dir), readdirSync(join(dir, 'deep/c'))]).toEqual([['deep'], ['.recipewright', 'new']]);
  });
});

describe('a directory that is held', () => {
  test('takes files in new directories, each name once', () => {
    const dir = folder();
    const held = openDirectory(dir);
    writeNewFile(held, 'a/b/./c.txt', Buffer.from('x'));
    expect(() => writeNewFile(held, 'a/b/c.txt', Buffer.from('y'))).toThrow(/EEXIST/);
    expect(readFileSync(join(dir, 'a/b/c.txt'), 'utf8')).toBe('x');
    held.release();
  });

  test.for(['', '.', '..', 'a/..', '/a', '../a', 'a/../../b', 'C:\\a', '\\a', 'a\0'])('has no file %j', (path) => {
    const held = openDirectory(folder());
    expect(() => withFileBelow(held, path, (file) => file)).toThrow('is not a path inside');
    held.release();
  });

  test.skipIf(process.platform !== 'linux')(
    'stays the same when it is moved (skipped where paths do not go through handles)',
    () => {
      const dir = folder();
      const [from, to] = [join(dir, 'from'), join(dir, 'to')];
      mkdirSync(from);
      const held = openDirectory(from);
      renameSync(from, to);
      mkdirSync(from);
      writeNewFile(held, 'a.txt', Buffer.from('x'));
      expect([held.isAt(from), held.isAt(to), existsSync(join(from, 'a.txt')), existsSync(join(to, 'a.txt'))]).toEqual([
        ...[false, true, false, true],
      ]);
      held.release();
    },
  );

  test('may be reached by a link, but has no link inside', () => {
    const dir = folder();
    mkdirSync(join(dir, 'real'));
    mkdirSync(join(dir, 'elsewhere'));
    symlinkSync('real', join(dir, 'link'));
    symlinkSync('../elsewhere', join(dir, 'real/out'));
    const held = openDirectory(join(dir, 'link'));
    expect([held.isAt(join(dir, 'link')), held.isAt(join(dir, 'real'))]).toEqual([true, true]);
    expect(() => writeNewFile(held, 'out/a.txt', Buffer.from('x'))).toThrow(/ENOTDIR|ELOOP/);
    expect(readdirSync(join(dir, 'elsewhere'))).toEqual([]);
    held.release();
  });
});

test.for([
  ['a/b', '/root/a/b'],
  ['', '/root'],
  ['a..b', '/root/a..b'],
  ['..', undefined],
  ['a/../b', undefined],
  ['a\\..\\b', undefined],
  ['/root/a', undefined],
  ['c:a', undefined],
  ['\\\\host\\a', undefined],
  ['a\0b', undefined],
])('the path %j is inside of /root as %j', ([path = '', full]) => {
  expect(resolveInside('/root', path)).toBe(full);
});
