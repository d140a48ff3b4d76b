// Screenshots of two packages, pixel by pixel.
import { decodePng, PngError, type PngImage } from '../../browser/pngImage.js';
import { safePath } from '../../evidence/models/fields.js';
import type { ArtifactEntry } from '../../pages/review/media.js';
import { resolveInside } from '../../system/files/files.js';
import { readBounded } from '../../system/files/readBounded.js';
import { differsAt, diffPicture } from './diffPicture.js';

/** `pixels`: how many differ, where both pictures have the same size. */
export type PictureChange = {
  path: string;
  change: 'different' | 'only before' | 'only after';
  pixels?: number;
  of?: number;
  note?: string;
};

export type Side = { dir: string; artifacts: readonly ArtifactEntry[] };

const largest = 64_000_000;

/** Those that are the same are left out. */
export function comparePictures(before: Side, after: Side): PictureChange[] {
  const [old, now] = [before, after].map(({ artifacts }) => new Set(artifacts.filter(isPng).map(({ path }) => path)));
  const paths = [...new Set([...(old ?? []), ...(now ?? [])])];
  return paths.flatMap((path): PictureChange[] => {
    if (!now?.has(path)) return [{ path, change: 'only before' }];
    if (!old?.has(path)) return [{ path, change: 'only after' }];
    const [was, is] = [bytesOf(before.dir, path), bytesOf(after.dir, path)];
    if (!was || !is) return [{ path, change: 'different', note: 'one of them cannot be read' }];
    return was.equals(is) ? [] : differ(path, was, is);
  });
}

function isPng({ path }: ArtifactEntry): boolean {
  return /\.png$/i.test(path) && safePath.test(path);
}

function bytesOf(dir: string, path: string): Buffer | undefined {
  const file = resolveInside(dir, path);
  const read = file === undefined ? undefined : readBounded(file, largest);
  return read && 'bytes' in read ? read.bytes : undefined;
}

function differ(path: string, was: Buffer, is: Buffer): PictureChange[] {
  const pictures = bothOf(was, is);
  const note = 'the bytes differ, and one of them is no PNG of a kind that can be compared';
  if (!pictures) return [{ path, change: 'different', note }];
  const [before, after] = pictures;
  if (sizeOf(before) !== sizeOf(after)) return [{ path, change: 'different', note: `${sizeOf(before)} became ${sizeOf(after)}` }];
  const pixels = pixelsApart(before, after);
  return pixels === 0 ? [] : [{ path, change: 'different', pixels, of: before.width * before.height }];
}

function sizeOf({ width, height }: PngImage): string {
  return `${width} × ${height}`;
}

/** Larger ones would take all of the memory. */
const mostPixels = 100_000_000;

function bothOf(was: Buffer, is: Buffer): [PngImage, PngImage] | undefined {
  const isLarge = (png: Buffer): boolean => png.length >= 24 && png.readUInt32BE(16) * png.readUInt32BE(20) > mostPixels;
  if (isLarge(was) || isLarge(is)) return undefined;
  try {
    return [decodePng(was), decodePng(is)];
  } catch (thrown) {
    if (!(thrown instanceof PngError) && !(thrown instanceof RangeError) && !isZlib(thrown)) throw thrown;
    return undefined;
  }
}

// Z_DATA_ERROR, Z_BUF_ERROR: the picture was cut.
function isZlib(thrown: unknown): boolean {
  return String((thrown as NodeJS.ErrnoException).code).startsWith('Z_');
}

function pixelsApart(one: PngImage, other: PngImage): number {
  let count = 0;
  for (let pixel = 0; pixel < one.width * one.height; pixel++) if (differsAt(one, other, pixel)) count++;
  return count;
}

export type ThreePictures = { before: Buffer; after: Buffer; diff?: Buffer };

/** The bytes of a picture that differs, and where it does, for a page. */
export function threePictures(before: string, after: string, path: string): ThreePictures | undefined {
  const [was, is] = [bytesOf(before, path), bytesOf(after, path)];
  if (!was || !is) return undefined;
  const pictures = bothOf(was, is);
  if (!pictures || sizeOf(pictures[0]) !== sizeOf(pictures[1])) return { before: was, after: is };
  return { before: was, after: is, diff: diffPicture(...pictures) };
}
