// A PNG as Chromium writes it, read back to its pixels: a picture of one colour shows nothing.
import { constants, inflateSync } from 'node:zlib';

export type Picture = { width: number; height: number /** Bytes per pixel: 3 or 4. */; channels: number; pixels: Uint8Array };

export class NoPicture extends Error {}

/** Many pages show a second colour in their first rows. */
const firstBytes = 8_192;

export function isOneColour(png: Uint8Array): boolean {
  const packed = packedOf(png);
  if (packed.data.length > firstBytes && hasTwoColours(decodeRows(packed, firstBytes))) return false;
  return !hasTwoColours(decodeRows(packed));
}

/** @throws NoPicture for what is no PNG with 8 bits for each of red, green, blue and perhaps alpha */
export function decodePng(png: Uint8Array): Picture {
  const packed = packedOf(png);
  const picture = decodeRows(packed);
  if (picture.height < packed.height) throw new NoPicture(`The picture ends after ${picture.height} of ${packed.height} rows.`);
  return picture;
}

type Packed = { width: number; height: number; channels: number; data: Buffer };

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

function packedOf(png: Uint8Array): Packed {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(signature)) throw new NoPicture('The picture is no PNG.');
  const [depth, colourType, , , interlaced] = bytes.subarray(24, 29);
  const channels = colourType === 6 ? 4 : 3;
  if (depth !== 8 || (colourType !== 2 && colourType !== 6) || interlaced !== 0)
    throw new NoPicture(`The picture is a PNG of another kind: depth ${depth}, colour type ${colourType}.`);
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), channels, data: Buffer.concat(parts) };
}

/** The rows that the first bytes hold; all of them when it is not said how many. */
function decodeRows({ width, height, channels, data }: Packed, bytes = data.length): Picture {
  const stride = width * channels;
  const raw = inflateSync(data.subarray(0, bytes), { finishFlush: constants.Z_SYNC_FLUSH });
  const rows = Math.min(height, Math.floor(raw.length / (stride + 1)));
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
  const predict = predictors[filter];
  if (!predict) throw new NoPicture(`The picture has a row with the filter ${filter}, which PNG does not know.`);
  for (let index = 0; index < stride; index++) {
    const left = index < channels ? 0 : (pixels[start + index - channels] as number);
    const above = start === 0 ? 0 : (pixels[start + index - stride] as number);
    const corner = start === 0 || index < channels ? 0 : (pixels[start + index - stride - channels] as number);
    pixels[start + index] = (line[index] as number) + predict(left, above, corner);
  }
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

function hasTwoColours({ pixels, channels }: Picture): boolean {
  for (let index = channels; index < pixels.length; index++) if (pixels[index] !== pixels[index - channels]) return true;
  return false;
}
