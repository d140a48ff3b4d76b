// Files are there as a whole or not at all, and a record that has a gap takes no more lines.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAtomicFile, writeFileAtomically } from '../../../../src/system/files/atomicFile.js';
import { openLineFile } from '../../../../src/system/files/lineFile.js';
import { canMount, folder, smallDisk } from '../../../faults/mounts.js';

describe('a whole file', () => {
  test('is not there before it is whole, and has its name to itself while it is written', () => {
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

  test('may have the longest name there is', () => {
    const name = 'n'.repeat(255);
    const dir = folder();
    writeFileAtomically(join(dir, name), 'x');
    expect(readdirSync(dir)).toEqual([name]);
  });

  test('takes the place of a link and leaves alone what the link leads to', () => {
    const dir = folder();
    writeFileSync(join(dir, 'mine'), 'mine');
    symlinkSync('mine', join(dir, 'link'));
    writeFileAtomically(join(dir, 'link'), 'ours');
    expect([readFileSync(join(dir, 'mine'), 'utf8'), readFileSync(join(dir, 'link'), 'utf8')]).toEqual(['mine', 'ours']);
  });

  test('leaves nothing behind when it cannot have its name, and says why', () => {
    const dir = folder();
    mkdirSync(join(dir, 'taken/by'), { recursive: true });
    expect(() => writeFileAtomically(join(dir, 'taken'), 'x')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(dir)).toEqual(['taken']);
  });

  test.skipIf(!canMount)('is not cut when the disk takes only a part of it (skipped where nothing can be mounted)', () => {
    const disk = smallDisk('64k');
    writeFileAtomically(join(disk, 'a'), 'old');
    expect(() => writeFileAtomically(join(disk, 'a'), Buffer.alloc(100_000))).toThrow(/ENOSPC/);
    expect([readdirSync(disk), readFileSync(join(disk, 'a'), 'utf8')]).toEqual([['a'], 'old']);
  });
});

describe('a file of lines', () => {
  test('is never one that was there before, nor what a link leads to', () => {
    const dir = folder();
    writeFileSync(join(dir, 'old'), 'old');
    symlinkSync('new', join(dir, 'link'));
    for (const name of ['old', 'link']) expect(() => openLineFile(join(dir, name))).toThrow(/EEXIST/);
    expect(readdirSync(dir)).toEqual(['link', 'old']);
  });

  test.skipIf(!canMount)('takes no line after one that failed, but for a last one (skipped where nothing can be mounted)', () => {
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
  });

  test('stays as it was when the last line fails, too', () => {
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
