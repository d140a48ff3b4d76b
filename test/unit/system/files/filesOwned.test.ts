// Which directories belong to recipewright, and which file operations are allowed below them.
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
  test('a new or an empty directory can be claimed once', () => {
    const dir = folder();
    mkdirSync(join(dir, 'empty'));
    expect(claimRunDirectory(join(dir, 'deep/new'))).toEqual({ isTaken: true, isNew: true });
    expect(claimRunDirectory(join(dir, 'empty'))).toEqual({ isTaken: true, isNew: false });
    for (const name of ['deep/new', 'empty'])
      expect(claimRunDirectory(join(dir, name))).toEqual({ isTaken: false, belongsTo: 'another run' });
    expect(claimRunDirectory(dir)).toEqual({ isTaken: false, belongsTo: 'others' });
  });

  test('a released directory is as it was before the claim', () => {
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

  test('the directory of a run is never claimed, removed or replaced again, unlike a replaceable directory', () => {
    const dir = folder();
    const [runDir, other, results] = [join(dir, 'kept'), join(dir, 'other'), join(dir, 'results')];
    claimRunDirectory(runDir);
    mkdirSync(other);
    writeFileSync(join(other, '.recipewright'), 'another program wrote this');
    claimDirectory(results);
    for (const foreign of [runDir, other]) {
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

  test('a directory can be moved to a free path, or over a replaceable directory', () => {
    const dir = folder();
    for (const name of ['a', 'b']) claimDirectory(join(dir, name));
    writeFileSync(join(dir, 'a/new'), '');
    moveDirectory(join(dir, 'a'), join(dir, 'b'));
    moveDirectory(join(dir, 'b'), join(dir, 'deep/c'));
    moveDirectory(join(dir, 'nowhere'), join(dir, 'deep/c'));
    expect([readdirSync(dir), readdirSync(join(dir, 'deep/c'))]).toEqual([['deep'], ['.recipewright', 'new']]);
  });
});

describe('an open directory', () => {
  test('an open directory accepts files in new subdirectories, but each name only once', () => {
    const dir = folder();
    const handle = openDirectory(dir);
    writeNewFile(handle, 'a/b/./c.txt', Buffer.from('x'));
    expect(() => writeNewFile(handle, 'a/b/c.txt', Buffer.from('y'))).toThrow(/EEXIST/);
    expect(readFileSync(join(dir, 'a/b/c.txt'), 'utf8')).toBe('x');
    handle.release();
  });

  test.for(['', '.', '..', 'a/..', '/a', '../a', 'a/../../b', 'C:\\a', '\\a', 'a\0'])(
    'an open directory refuses the path %j',
    (path) => {
      const handle = openDirectory(folder());
      expect(() => withFileBelow(handle, path, (file) => file)).toThrow('is not a path inside');
      handle.release();
    },
  );

  test.skipIf(process.platform !== 'linux')(
    'an open directory stays the same after it is moved (skipped where paths do not go through handles)',
    () => {
      const dir = folder();
      const [from, to] = [join(dir, 'from'), join(dir, 'to')];
      mkdirSync(from);
      const handle = openDirectory(from);
      renameSync(from, to);
      mkdirSync(from);
      writeNewFile(handle, 'a.txt', Buffer.from('x'));
      expect([handle.isAt(from), handle.isAt(to), existsSync(join(from, 'a.txt')), existsSync(join(to, 'a.txt'))]).toEqual([
        ...[false, true, false, true],
      ]);
      handle.release();
    },
  );

  test('an open directory may be opened through a link, but follows no link inside', () => {
    const dir = folder();
    mkdirSync(join(dir, 'real'));
    mkdirSync(join(dir, 'elsewhere'));
    symlinkSync('real', join(dir, 'link'));
    symlinkSync('../elsewhere', join(dir, 'real/out'));
    const handle = openDirectory(join(dir, 'link'));
    expect([handle.isAt(join(dir, 'link')), handle.isAt(join(dir, 'real'))]).toEqual([true, true]);
    expect(() => writeNewFile(handle, 'out/a.txt', Buffer.from('x'))).toThrow(/ENOTDIR|ELOOP/);
    expect(readdirSync(join(dir, 'elsewhere'))).toEqual([]);
    handle.release();
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
])('the path %j in /root resolves to %j', ([path = '', full]) => {
  expect(resolveInside('/root', path)).toBe(full);
});
