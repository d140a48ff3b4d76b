// The PNG decoder, tested with images of an encoder in this file.
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodePng, isOneColour } from '../../src/browser/pngImage.js';

type Image = { width: number; height: number; channels: 3 | 4; pixels: Uint8Array };

function noise(width: number, height: number, channels: 3 | 4): Image {
  let seed = 7;
  const next = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 256;
  };
  return { width, height, channels, pixels: Uint8Array.from({ length: width * height * channels }, next) };
}

function chunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  // The decoder ignores the checksum.
  return Buffer.concat([head, data, Buffer.alloc(4)]);
}

function filterRows({ width, height, channels, pixels }: Image, filter: number): Buffer {
  const stride = width * channels;
  const raw = Buffer.alloc(height * (stride + 1));
  const at = (row: number, index: number): number => (row < 0 || index < 0 ? 0 : (pixels[row * stride + index] ?? 0));
  for (let row = 0; row < height; row++) {
    raw[row * (stride + 1)] = filter;
    for (let index = 0; index < stride; index++) {
      const [left, above] = [at(row, index - channels), at(row - 1, index)];
      const corner = index < channels ? 0 : at(row - 1, index - channels);
      const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? above : corner;
      const guess = [0, left, above, Math.floor((left + above) / 2), paeth][filter] ?? 0;
      raw[row * (stride + 1) + 1 + index] = (at(row, index) - guess) & 255;
    }
  }
  return raw;
}

function encodePng(image: Image, { filter = 0, depth = 8, type = image.channels === 4 ? 6 : 2, parts = 1 } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(image.width, 0);
  header.writeUInt32BE(image.height, 4);
  header.set([depth, type, 0, 0, 0], 8);
  const data = deflateSync(filterRows(image, filter));
  const size = Math.ceil(data.length / parts);
  const pieces = Array.from({ length: parts }, (_, index) => chunk('IDAT', data.subarray(index * size, (index + 1) * size)));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from('a\0b')),
    ...pieces,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('decodePng and isOneColour', () => {
  const all = [0, 1, 2, 3, 4].flatMap((filter) => ([3, 4] as const).map((channels) => ({ filter, channels })));
  test.for(all)('decodePng returns the pixels of a PNG with filter $filter and $channels channels', ({ filter, channels }) => {
    const image = noise(37, 23, channels);
    const read = decodePng(encodePng(image, { filter, parts: 3 }));
    expect(read).toMatchObject({ width: 37, height: 23, channels });
    expect(Buffer.from(read.pixels).equals(Buffer.from(image.pixels))).toBe(true);
  });

  test('isOneColour detects a different last pixel with every filter', () => {
    for (const filter of [0, 1, 2, 3, 4]) {
      const plain: Image = { width: 400, height: 300, channels: 3, pixels: new Uint8Array(400 * 300 * 3).fill(200) };
      expect.soft(isOneColour(encodePng(plain, { filter }))).toBe(true);
      const spot = { ...plain, pixels: Uint8Array.from(plain.pixels) };
      spot.pixels[spot.pixels.length - 1] = 201;
      expect.soft(isOneColour(encodePng(spot, { filter }))).toBe(false);
    }
  });

  test('isOneColour checks a large picture to its end', () => {
    const size = { width: 1_600, height: 1_200, channels: 3 } as const;
    const spot = { ...size, pixels: new Uint8Array(1_600 * 1_200 * 3).fill(200) };
    spot.pixels[spot.pixels.length - 1] = 201;
    expect(encodePng(spot).length).toBeGreaterThan(4_000);
    expect(isOneColour(encodePng(spot))).toBe(false);
  });

  test('isOneColour needs only the first rows of a picture with many colours', () => {
    const image = noise(300, 300, 3);
    expect(isOneColour(encodePng(image).subarray(0, 20_000))).toBe(false);
  });

  test.for([
    ['a file that is not a PNG', Buffer.from('hello')],
    ['a PNG with 16 bits per channel', encodePng(noise(2, 2, 3), { depth: 16 })],
    ['a PNG with a palette', encodePng(noise(2, 2, 3), { type: 3 })],
    ['a PNG with an unknown filter', encodePng(noise(2, 2, 3), { filter: 9 })],
  ] as const)('decodePng refuses %s', ([, bytes]) => {
    expect(() => decodePng(bytes)).toThrow(/The picture /);
  });

  test('decodePng refuses a truncated PNG', () => {
    const whole = encodePng(noise(50, 50, 3));
    expect(() => decodePng(whole.subarray(0, whole.length / 2))).toThrow(/ends after/);
  });
});
