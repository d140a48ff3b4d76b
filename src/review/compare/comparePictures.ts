// Screenshots of two packages, pixel by pixel.
import { decodePng, NoPicture, type Picture } from '../../browser/picture.js';
import { safePath } from '../../evidence/models/fields.js';
import { insideOf } from '../../system/files.js';
import { readBounded } from '../../system/readBounded.js';
import type { ArtifactEntry } from '../page/media.js';

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
  const file = insideOf(dir, path);
  const read = file === undefined ? undefined : readBounded(file, largest);
  return read && 'bytes' in read ? read.bytes : undefined;
}

function differ(path: string, was: Buffer, is: Buffer): PictureChange[] {
  try {
    const [before, after] = [decodePng(was), decodePng(is)];
    const sizes = [before, after].map(({ width, height }) => `${width} × ${height}`);
    if (sizes[0] !== sizes[1]) return [{ path, change: 'different', note: `${sizes[0]} became ${sizes[1]}` }];
    const pixels = pixelsApart(before, after);
    return pixels === 0 ? [] : [{ path, change: 'different', pixels, of: before.width * before.height }];
  } catch (thrown) {
    if (!(thrown instanceof NoPicture) && !(thrown instanceof RangeError) && !isZlib(thrown)) throw thrown;
    return [{ path, change: 'different', note: 'the bytes differ, and one of them is no PNG of a kind that can be compared' }];
  }
}

// Z_DATA_ERROR, Z_BUF_ERROR: the picture was cut.
function isZlib(thrown: unknown): boolean {
  return String((thrown as NodeJS.ErrnoException).code).startsWith('Z_');
}

/** What the eye cannot tell apart does not count. */
const leastDifference = 3;

function pixelsApart(one: Picture, other: Picture): number {
  let count = 0;
  for (let at = 0; at < one.width * one.height; at++) {
    for (let part = 0; part < 3; part++) {
      const difference = Math.abs((one.pixels[at * one.channels + part] ?? 0) - (other.pixels[at * other.channels + part] ?? 0));
      if (difference < leastDifference) continue;
      count++;
      break;
    }
  }
  return count;
}
