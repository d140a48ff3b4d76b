// Where two pictures of one size differ, as a picture: what is the same is pale, what is not stands out.
import { crc32, deflateSync } from 'node:zlib';
import type { PngImage } from '../../browser/pngImage.js';

/** What the eye cannot tell apart does not count. */
const leastDifference = 3;
const mark = [224, 0, 110] as const;

export function differsAt(one: PngImage, other: PngImage, pixel: number): boolean {
  for (let part = 0; part < 3; part++) {
    const difference = (one.pixels[pixel * one.channels + part] ?? 0) - (other.pixels[pixel * other.channels + part] ?? 0);
    if (Math.abs(difference) >= leastDifference) return true;
  }
  return false;
}

/** A PNG. */
export function diffPicture(before: PngImage, after: PngImage): Buffer {
  const { width, height } = after;
  const rows = Buffer.alloc(height * (width * 3 + 1));
  let at = 0;
  for (let row = 0; row < height; row++) {
    at++;
    for (let column = 0; column < width; column++) {
      const pixel = row * width + column;
      const colour = differsAt(before, after, pixel) ? mark : paleAt(after, pixel);
      for (const part of colour) rows[at++] = part;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  // Eight bits each for red, green and blue.
  head.set([8, 2], 8);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

function paleAt({ pixels, channels }: PngImage, pixel: number): readonly number[] {
  const [red = 0, green = 0, blue = 0] = pixels.subarray(pixel * channels, pixel * channels + 3);
  const grey = 200 + Math.round((0.3 * red + 0.59 * green + 0.11 * blue) * (55 / 255));
  return [grey, grey, grey];
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
