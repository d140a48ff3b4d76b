// Compares the screenshots of two packages pixel by pixel.
import { inflateSync } from 'node:zlib';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { safePath } from '../../evidence/models/fields.js';
import type { ArtifactEntry } from '../../pages/review/media.js';
import { resolveInside } from '../../system/files/files.js';
import { readBounded } from '../../system/files/readBounded.js';

/** `pixels`: the number of different pixels, `of` all pixels, if both pictures have the same size. */
export type PictureChange = {
  path: string;
  change: 'different' | 'only before' | 'only after';
  pixels?: number;
  of?: number;
  note?: string;
};

export type Side = { dir: string; artifacts: readonly ArtifactEntry[] };

/** Returns the pictures that differ, or that only one of the packages has. */
export function comparePictures(before: Side, after: Side): PictureChange[] {
  const pathsBefore = listPngPaths(before);
  const pathsAfter = listPngPaths(after);
  return [...new Set([...pathsBefore, ...pathsAfter])].flatMap((path): PictureChange[] => {
    if (!pathsAfter.has(path)) return [{ path, change: 'only before' }];
    if (!pathsBefore.has(path)) return [{ path, change: 'only after' }];
    const change = comparePicture(readPicture(before.dir, path), readPicture(after.dir, path));
    return change === undefined ? [] : [{ path, change: 'different', ...change }];
  });
}

function listPngPaths({ artifacts }: Side): Set<string> {
  return new Set(artifacts.map(({ path }) => path).filter((path) => /\.png$/i.test(path) && safePath.test(path)));
}

const maxFileBytes = 64_000_000;

function readPicture(dir: string, path: string): Buffer | undefined {
  const file = resolveInside(dir, path);
  const read = file === undefined ? undefined : readBounded(file, maxFileBytes);
  return read && 'bytes' in read ? read.bytes : undefined;
}

type PixelChange = Pick<PictureChange, 'pixels' | 'of' | 'note'>;

function comparePicture(before: Buffer | undefined, after: Buffer | undefined): PixelChange | undefined {
  if (!before || !after) return { note: 'one of the two files cannot be read' };
  if (before.equals(after)) return undefined;
  const old = decodePng(before);
  const current = decodePng(after);
  if (!old || !current) return { note: 'the files differ, and at least one is not a PNG that recipewright can compare' };
  if (!isSameSize(old, current)) return { note: `the size changed from ${formatSize(old)} to ${formatSize(current)}` };
  const pixels = countDifferences(old, current);
  return pixels === 0 ? undefined : { pixels, of: old.width * old.height };
}

function isSameSize(one: PNG, other: PNG): boolean {
  return one.width === other.width && one.height === other.height;
}

function formatSize({ width, height }: PNG): string {
  return `${width} × ${height}`;
}

/** Returns undefined for a broken picture, and for a picture that may take too much memory. */
function decodePng(png: Buffer): PNG | undefined {
  try {
    return isComplete(png) ? PNG.sync.read(png) : undefined;
  } catch {
    // pngjs throws a plain Error for a broken picture, Buffer a RangeError, and zlib an error with a code.
    return undefined;
  }
}

/** Two pictures of this size and the picture of their differences take 1.8 GB. */
const maxPixels = 100_000_000;

/** The number of samples of a pixel, by the colour type in the header. */
const sampleCounts = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

/**
 * Returns whether the picture has as many pixels as its header says. pngjs does not check this: it fills missing pixels with
 * random memory, unpacks an interlaced picture without a limit, and lets a second header replace the first.
 */
function isComplete(png: Buffer): boolean {
  const [header, ...chunks] = listChunks(png);
  if (header?.name !== 'IHDR' || chunks.some(({ name }) => name === 'IHDR')) return false;
  const width = header.data.readUInt32BE(0);
  const height = header.data.readUInt32BE(4);
  const depth = header.data.readUInt8(8);
  const samples = sampleCounts.get(header.data.readUInt8(9));
  const isInterlaced = header.data.readUInt8(12) !== 0;
  if (samples === undefined || depth > 8 || isInterlaced || width * height > maxPixels) return false;
  const packed = Buffer.concat(chunks.filter(({ name }) => name === 'IDAT').map(({ data }) => data));
  const maxOutputLength = (Math.ceil((width * samples * depth) / 8) + 1) * height;
  return inflateSync(packed, { maxOutputLength }).length === maxOutputLength;
}

type Chunk = { name: string; data: Buffer };

function listChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at + 12 <= png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    chunks.push({ name: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

function countDifferences(before: PNG, after: PNG, output?: Uint8ClampedArray): number {
  return pixelmatch(after.data, before.data, output, after.width, after.height, {
    // Two grey pixels count as different from a difference of 3 of 255 on. A smaller difference is not visible.
    threshold: 0.01,
    // In small text, a comma and a full stop differ only in anti-aliased pixels.
    includeAA: true,
    alpha: 55 / 255,
    diffColor: [224, 0, 110],
  });
}

export type ThreePictures = { before: Buffer; after: Buffer; diff?: Buffer };

/** Returns the bytes of a picture before and after, and a picture of their differences. */
export function threePictures(beforeDir: string, afterDir: string, path: string): ThreePictures | undefined {
  const before = readPicture(beforeDir, path);
  const after = readPicture(afterDir, path);
  if (!before || !after) return undefined;
  const old = decodePng(before);
  const current = decodePng(after);
  return old && current && isSameSize(old, current) ? { before, after, diff: drawDifferences(old, current) } : { before, after };
}

/** Creates a PNG in which unchanged pixels are pale and changed pixels are coloured. */
function drawDifferences(before: PNG, after: PNG): Buffer {
  const { width, height } = after;
  const pixels = new Uint8ClampedArray(width * height * 4);
  countDifferences(before, after, pixels);
  const picture = new PNG({ width, height });
  picture.data = Buffer.from(pixels.buffer);
  return PNG.sync.write(picture, { colorType: 2 });
}
