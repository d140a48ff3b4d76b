// recipewright compare counts the pixels that differ between the pictures of two packages.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { compareAnswer } from '../../../src/cli/compare.js';
import { directory, jsonIn, makeForeign, write } from '../evidence/packages.js';
import { richPackage } from '../evidence/richPackage.js';

/** Far more memory than the test and its two pictures need. */
const bombBytes = 600_000_000;
const bomb = (): Buffer => (packedBomb ??= deflateSync(Buffer.alloc(bombBytes), { level: 1 }));
let packedBomb: Buffer | undefined;

describe('recipewright compare', () => {
  test('compare counts the pixels that differ', async () => {
    const [{ dir: before }, { dir: after }] = [await richPackage(), await richPackage()];
    const [old, current] = [png({ rows: rowsOf(0) }), png({ rows: rowsOf(200) })];
    addPictures(before, { 'shots/a.png': old, 'shots/cut.png': old.subarray(0, 30) });
    addPictures(after, { 'shots/a.png': current, 'shots/cut.png': current.subarray(0, 50) });
    const { text, exitCode } = compareAnswer([before, after], {});
    expect(text).toContain('  picture shots/a.png: 1 of 4 pixels differ (25.00 %)\n');
    expect(text).toContain('  picture shots/cut.png: the files differ, and at least one is not a PNG');
    expect(exitCode).toBe(0);
    const file = join(directory(), 'compare.html');
    compareAnswer([before, after], { html: file });
    const page = readFileSync(file, 'utf8');
    const [was, is, diff] = [...page.matchAll(/src="data:image\/png;base64,([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64'),
    );
    expect([was, is]).toEqual([old, current]);
    expect([...PNG.sync.read(diff ?? Buffer.alloc(0)).data].slice(0, 8)).toEqual([224, 0, 110, 255, 202, 202, 202, 255]);
    expect(page).toContain('not a PNG that recipewright can compare');
  });

  test('compare handles a gray picture and a color picture', async () => {
    const grey = png({ colourType: 0, rows: [0, 9, 9, 0, 9, 9] });
    expect(await compareOne(grey, png())).not.toContain('picture ');
    expect(await compareOne(grey, png({ rows: rowsOf(19) }))).toContain('1 of 4 pixels differ');
  });

  test('compare does not count an invisible difference between pixels', async () => {
    expect(await compareOne(png(), png({ rows: [0, 11, 11, 11, 9, 9, 9, 0, 9, 9, 9, 9, 9, 9] }))).not.toContain('picture ');
    expect(await compareOne(png(), png({ rows: [0, 12, 12, 12, 9, 9, 9, 0, 9, 9, 9, 9, 9, 9] }))).toContain(
      '1 of 4 pixels differ',
    );
  });

  test.for([
    ['lacks pixels', png({ rows: rowsOf(9).slice(0, 12) })],
    ['ends within its pixels', png({ idat: deflateSync(Buffer.from(rowsOf(200))).subarray(0, 9) })],
    ['has more pixels than it says', png({ rows: [...rowsOf(200), 0, 9, 9, 9, 9, 9, 9] })],
    ['was damaged', Buffer.from(png({ rows: rowsOf(200) }).map((byte, at) => (at === 45 ? byte + 1 : byte)))],
    ['has an unknown filter', png({ rows: [7, 1, 1, 1, 9, 9, 9, 0, 9, 9, 9, 9, 9, 9] })],
    ['has no palette', png({ colourType: 3, rows: [0, 1, 1, 0, 1, 1] })],
    ['is not a picture', Buffer.from('hello')],
    ['is empty', Buffer.alloc(0)],
  ] as const)('compare reports that a picture that %s cannot be compared', async ([, broken]) => {
    expect(await compareOne(png(), broken)).toContain(
      'the files differ, and at least one is not a PNG that recipewright can compare',
    );
  });

  test.for([
    ['of four pixels', png({ idat: bomb() })],
    ['of very many pixels', png({ size: 1_000_000, idat: bomb() })],
    ['that is interlaced', png({ isInterlaced: true, idat: bomb() })],
    ['with a second header', png({ idat: bomb(), more: header({ size: 2, colourType: 2, isInterlaced: true }) })],
  ] as const)('compare does not unpack a decompression bomb %s', async ([, after]) => {
    const usedBefore = process.resourceUsage().maxRSS;
    expect(await compareOne(png({ rows: rowsOf(200) }), after)).toContain('picture shots/a.png: ');
    expect(process.resourceUsage().maxRSS - usedBefore).toBeLessThan(bombBytes / 2 / 1_024);
  });
});

async function compareOne(before: Buffer, after: Buffer): Promise<string> {
  const dirs = [before, after].map(async (picture) => {
    const { dir } = await richPackage();
    addPictures(dir, { 'shots/a.png': picture });
    return dir;
  });
  return compareAnswer(await Promise.all(dirs), {}).text;
}

function addPictures(dir: string, pictures: Readonly<Record<string, Buffer>>): void {
  makeForeign(dir);
  const manifest = jsonIn(dir, 'artifact-manifest.json');
  const entries = Object.keys(pictures).map((path) => ({ path, type: 'screenshot' }));
  write(dir, 'artifact-manifest.json', { ...manifest, artifacts: [...manifest.artifacts, ...entries] });
  mkdirSync(join(dir, 'shots'), { recursive: true });
  for (const [path, picture] of Object.entries(pictures)) writeFileSync(join(dir, path), picture);
}

type PictureOptions = {
  rows?: readonly number[];
  size?: number;
  colourType?: number;
  isInterlaced?: boolean;
  idat?: Buffer;
  more?: Buffer;
};

/** Creates a picture of two by two equal pixels. */
function png({ rows = rowsOf(9), size = 2, colourType = 2, isInterlaced = false, ...parts }: PictureOptions = {}): Buffer {
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    header({ size, colourType, isInterlaced }),
    parts.more ?? Buffer.alloc(0),
    chunk('IDAT', parts.idat ?? deflateSync(Buffer.from(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function header({
  size,
  colourType,
  isInterlaced,
}: Required<Pick<PictureOptions, 'size' | 'colourType' | 'isInterlaced'>>): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, colourType, 0, 0, isInterlaced ? 1 : 0]);
  for (const at of [0, 4]) data.writeUInt32BE(size, at);
  return chunk('IHDR', data);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const length = Buffer.alloc(4);
  const sum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Each row begins with the number of its filter. */
function rowsOf(firstRed: number): number[] {
  return [0, firstRed, 9, 9, 9, 9, 9, 0, 9, 9, 9, 9, 9, 9];
}
