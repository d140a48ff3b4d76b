// The pictures of two packages: how many pixels differ, where, and that nobody is harmed by looking.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodePng } from '../../../src/browser/pngImage.js';
import { compareAnswer } from '../../../src/cli/compare.js';
import { asOfOthers, directory, jsonIn, write } from '../evidence/packages.js';
import { richPackage } from '../evidence/richPackage.js';

describe('recipewright compare', () => {
  test('compare counts the pixels that differ', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    for (const [dir, red] of [
      [before, 0],
      [after, 200],
    ] as const) {
      asOfOthers(dir);
      const manifest = jsonIn(dir, 'artifact-manifest.json');
      write(dir, 'artifact-manifest.json', {
        ...manifest,
        artifacts: [
          ...manifest.artifacts,
          { path: 'shots/a.png', type: 'screenshot' },
          { path: 'shots/cut.png', type: 'screenshot' },
        ],
      });
      mkdirSync(join(dir, 'shots'), { recursive: true });
      writeFileSync(join(dir, 'shots/a.png'), png(red));
      writeFileSync(join(dir, 'shots/cut.png'), png(red).subarray(0, 30 + red / 10));
    }
    const { text, exitCode } = compareAnswer([before, after], {});
    expect(text).toContain('  picture shots/a.png: 1 of 4 pixels differ (25.00 %)\n');
    expect(text).toContain('  picture shots/cut.png: the bytes differ, and one of them is no PNG');
    expect(exitCode).toBe(0);
    const file = join(directory(), 'compare.html');
    compareAnswer([before, after], { html: file });
    const page = readFileSync(file, 'utf8');
    const [was, is, diff] = [...page.matchAll(/src="data:image\/png;base64,([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64'),
    );
    expect([was, is]).toEqual([png(0), png(200)]);
    expect([...decodePng(diff ?? Buffer.alloc(0)).pixels].slice(0, 6)).toEqual([224, 0, 110, 202, 202, 202]);
    expect(page).toContain('no PNG of a kind that can be compared');
  });

  test('compare does not unpack a picture that is a decompression bomb', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    for (const dir of [before, after]) {
      const manifest = jsonIn(dir, 'artifact-manifest.json');
      write(dir, 'artifact-manifest.json', {
        ...manifest,
        artifacts: [...manifest.artifacts, { path: 'bomb.png', type: 'screenshot' }],
      });
    }
    writeFileSync(join(before, 'bomb.png'), png(0));
    const rows = deflateSync(Buffer.alloc(300_000_000));
    for (const size of [2, 1_000_000]) {
      writeFileSync(join(after, 'bomb.png'), png(0, { rows, size }));
      expect(compareAnswer([before, after], {}).text).toContain('picture bomb.png: ');
      expect(process.memoryUsage().rss).toBeLessThan(1_500_000_000);
    }
  });
});

/** Two by two pixels, the first of which is as red as is said. */
function png(red: number, { rows = deflateSync(rowsOf(red)), size = 2 } = {}): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name), data, Buffer.alloc(4)]);
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  for (const at of [0, 4]) head.writeUInt32BE(size, at);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function rowsOf(red: number): Buffer {
  return Buffer.from([0, red, 0, 0, 9, 9, 9, 0, 9, 9, 9, 9, 9, 9]);
}
