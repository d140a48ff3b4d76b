// Decodes PNG files of Chromium, and detects pictures with only one colour.
import { constants, inflateSync } from 'node:zlib';

/** `channels`: bytes per pixel, 3 or 4. */
export type PngImage = { width: number; height: number; channels: number; pixels: Uint8Array };

export class PngError extends Error {}

/** For most pictures, the first compressed bytes are enough to find a second colour. */
const firstBytes = 1_024;

/** Does not decode the pixels: it compares each filtered row with the one that a picture of one colour would have. */
export function isOneColour(png: Uint8Array): boolean {
  const packed = parsePng(png);
  const { data } = packed;
  return (data.length <= firstBytes || hasOneColour({ ...packed, data: data.subarray(0, firstBytes) })) && hasOneColour(packed);
}

function hasOneColour(packed: PngData): boolean {
  const { raw, stride, rows } = inflateRows(packed);
  const colour = raw.subarray(1, 1 + packed.channels);
  const expectedRows = new Map<number, Buffer>();
  for (let row = 0; row < rows; row++) {
    const start = row * (stride + 1);
    const filter = raw[start] as number;
    const key = row === 0 ? -1 : filter;
    const expected = expectedRows.get(key) ?? oneColourRow(colour, { stride, filter, isFirst: row === 0 });
    expectedRows.set(key, expected);
    if (!expected.equals(raw.subarray(start + 1, start + 1 + stride))) return false;
  }
  return true;
}

// The filter predicts from neighbours, so all pixels but the first have the same bytes.
function oneColourRow(
  colour: Uint8Array,
  { stride, filter, isFirst }: { stride: number; filter: number; isFirst: boolean },
): Buffer {
  const predict = predictorOf(filter);
  const coded = (left: number, above: number, corner: number, value: number): number =>
    (value - predict(left, above, corner)) & 0xff;
  const next = Buffer.from(colour.map((value) => coded(value, isFirst ? 0 : value, isFirst ? 0 : value, value)));
  const row = Buffer.alloc(stride, next);
  Buffer.from(colour.map((value) => coded(0, isFirst ? 0 : value, 0, value))).copy(row);
  return row;
}

/** @throws PngError for anything but a PNG with 8 bits per channel and the channels RGB or RGBA */
export function decodePng(png: Uint8Array): PngImage {
  const packed = parsePng(png);
  const picture = decodeRows(packed);
  if (picture.height < packed.height) throw new PngError(`The picture ends after ${picture.height} of ${packed.height} rows.`);
  return picture;
}

type PngData = { width: number; height: number; channels: number; data: Buffer };

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

function parsePng(png: Uint8Array): PngData {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(signature)) throw new PngError('The picture is not a PNG.');
  const [depth, colourType, , , interlaced] = bytes.subarray(24, 29);
  const channels = colourType === 6 ? 4 : 3;
  if (depth !== 8 || (colourType !== 2 && colourType !== 6) || interlaced !== 0)
    throw new PngError(`The picture is a PNG of an unsupported kind: depth ${depth}, colour type ${colourType}.`);
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), channels, data: Buffer.concat(parts) };
}

/** Returns the filtered rows, each preceded by the number of its filter. */
function inflateRows({ width, height, channels, data }: PngData): { raw: Buffer; stride: number; rows: number } {
  const stride = width * channels;
  // Limited to the size of the picture: a decompression bomb could exhaust the memory.
  const maxOutputLength = Math.max(1, Math.min((stride + 1) * height, 2 ** 31 - 1));
  const raw = inflateSync(data, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength, chunkSize: 64 * 1_024 });
  return { raw, stride, rows: Math.min(height, Math.floor(raw.length / (stride + 1))) };
}

function decodeRows(packed: PngData): PngImage {
  const { width, channels } = packed;
  const { raw, stride, rows } = inflateRows(packed);
  const pixels = new Uint8Array(rows * stride);
  for (let row = 0; row < rows; row++) {
    const line = raw.subarray(row * (stride + 1) + 1, (row + 1) * (stride + 1));
    unfilter(pixels, line, { start: row * stride, channels, filter: raw[row * (stride + 1)] ?? 0 });
  }
  return { width, height: rows, channels, pixels };
}

type Row = { start: number; channels: number; filter: number };

function unfilter(pixels: Uint8Array, line: Uint8Array, { start, channels, filter }: Row): void {
  const stride = line.length;
  const predict = predictorOf(filter);
  for (let index = 0; index < stride; index++) {
    const left = index < channels ? 0 : (pixels[start + index - channels] as number);
    const above = start === 0 ? 0 : (pixels[start + index - stride] as number);
    const corner = start === 0 || index < channels ? 0 : (pixels[start + index - stride - channels] as number);
    pixels[start + index] = (line[index] as number) + predict(left, above, corner);
  }
}

function predictorOf(filter: number): Predict {
  const predict = predictors[filter];
  if (!predict) throw new PngError(`The picture has a row with the filter ${filter}, which PNG does not define.`);
  return predict;
}

type Predict = (left: number, above: number, corner: number) => number;

const predictors: readonly Predict[] = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  (left, above, corner) => {
    const guess = left + above - corner;
    const toLeft = Math.abs(guess - left);
    const toAbove = Math.abs(guess - above);
    const toCorner = Math.abs(guess - corner);
    if (toLeft <= toAbove && toLeft <= toCorner) return left;
    return toAbove <= toCorner ? above : corner;
  },
];
