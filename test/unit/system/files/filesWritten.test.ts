// A file is written completely or not at all, and a line file accepts no lines after a failed line.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAtomicFile, writeFileAtomically } from '../../../../src/system/files/atomicFile.js';
import { openLineFile } from '../../../../src/system/files/lineFile.js';
import { canMount, folder, smallDisk } from '../../../faults/mounts.js';

describe('an atomic file', () => {
  test('an atomic file does not exist before it is complete, and two writers do not mix', () => {
    const dir = folder();
    const file = join(dir, 'a.txt');
    const [one, two] = [openAtomicFile(file), openAtomicFile(file)];
    one.write('one');
    two.write('two');
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(dir)).toHaveLength(2);
    one.close();
    expect(readFileSync(file, 'utf8')).toBe('one');
    two.close();
    expect([readFileSync(file, 'utf8'), readdirSync(dir)]).toEqual(['two', ['a.txt']]);
  });

  test('an atomic file may have a name of the maximum length', () => {
    const name = 'n'.repeat(255);
    const dir = folder();
    writeFileAtomically(join(dir, name), 'x');
    expect(readdirSync(dir)).toEqual([name]);
  });

  test('an atomic file replaces a link, but not the target of the link', () => {
    const dir = folder();
    writeFileSync(join(dir, 'mine'), 'mine');
    symlinkSync('mine', join(dir, 'link'));
    writeFileAtomically(join(dir, 'link'), 'ours');
    expect([readFileSync(join(dir, 'mine'), 'utf8'), readFileSync(join(dir, 'link'), 'utf8')]).toEqual(['mine', 'ours']);
  });

  test('an atomic file that cannot be renamed is removed, and the error says why', () => {
    const dir = folder();
    mkdirSync(join(dir, 'taken/by'), { recursive: true });
    expect(() => writeFileAtomically(join(dir, 'taken'), 'x')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(dir)).toEqual(['taken']);
  });

  test.skipIf(!canMount)(
    'an atomic file keeps its old content when the disk is too small for the new one (skipped where nothing can be mounted)',
    () => {
      const disk = smallDisk('64k');
      writeFileAtomically(join(disk, 'a'), 'old');
      expect(() => writeFileAtomically(join(disk, 'a'), Buffer.alloc(100_000))).toThrow(/ENOSPC/);
      expect([readdirSync(disk), readFileSync(join(disk, 'a'), 'utf8')]).toEqual([['a'], 'old']);
    },
  );
});

describe('a line file', () => {
  test('a line file is never an existing file or the target of a link', () => {
    const dir = folder();
    writeFileSync(join(dir, 'old'), 'old');
    symlinkSync('new', join(dir, 'link'));
    for (const name of ['old', 'link']) expect(() => openLineFile(join(dir, name))).toThrow(/EEXIST/);
    expect(readdirSync(dir)).toEqual(['link', 'old']);
  });

  test.skipIf(!canMount)(
    'a line file accepts only one last line after a failed line (skipped where nothing can be mounted)',
    () => {
      const disk = smallDisk('16k');
      const file = openLineFile(join(disk, 'lines'));
      file.append('first');
      expect(() => file.append('x'.repeat(20_000))).toThrow(/ENOSPC/);
      expect(() => file.append('fits')).toThrow(/ENOSPC/);
      expect(file.failure).toMatchObject({ code: 'ENOSPC' });
      file.appendAfterFailure(() => file.append('last'));
      expect(() => file.append('fits')).toThrow(/ENOSPC/);
      file.close();
      expect(readFileSync(join(disk, 'lines'), 'utf8')).toBe('first\nlast\n');
    },
  );

  test('a line file stays unchanged when the last line fails too', () => {
    const file = join(folder(), 'lines');
    const lines = openLineFile(file);
    lines.append('first');
    const refuse = (): void => {
      throw new Error('not this one');
    };
    expect(() => lines.appendAfterFailure(refuse)).toThrow('not this one');
    lines.close();
    expect(readFileSync(file, 'utf8')).toBe('first\n');
  });
});
