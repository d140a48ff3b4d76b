// Decodes bytes as UTF-8. For other bytes, explains which encoding they have, or at which byte they are invalid.
export type Decoded = { text: string; hasByteOrderMark: boolean; failure?: DecodeFailure };

type DecodeFailure = { message: string; hint: string; offset: number };

const strict = new TextDecoder('utf-8', { fatal: true });
const lossy = new TextDecoder('utf-8');

export function decodeText(bytes: Uint8Array): Decoded {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return { text: '', hasByteOrderMark, failure: refuseWide(wide) };
  try {
    return { text: strict.decode(bytes), hasByteOrderMark };
  } catch {
    // TypeError (ERR_ENCODING_INVALID_ENCODED_DATA): the bytes are not UTF-8.
    return { text: lossy.decode(bytes), hasByteOrderMark, failure: refuseBytes(bytes) };
  }
}

/**
 * Returns whether a string that was decoded as UTF-8 has the full content of its bytes: the decoder replaced no character, there is no
 * byte order mark, and the bytes were not UTF-16 or UTF-32.
 */
export function isLosslessText(text: string): boolean {
  const start = text.slice(0, 4);
  return text !== '' && !text.includes('\ufffd') && !start.includes('\0') && !start.startsWith('\ufeff');
}

/** Converts the offset of a byte to an offset in the decoded text, in UTF-16 units. A byte order mark does not count. */
export function textOffset(bytes: Uint8Array, offset: number): number {
  return lossy.decode(bytes.subarray(0, offset)).length;
}

// JSON begins with an ASCII character and contains no NUL, so zero bytes at the beginning show how many bytes a character takes.
function wideEncoding(bytes: Uint8Array): string | undefined {
  const [a = 1, b = 1, c = 1, d = 1] = bytes;
  if (bytes.length < 2) return undefined;
  if (a === 0 && b === 0)
    return bytes.length > 3 && ((c === 0 && d !== 0) || (c === 0xfe && d === 0xff)) ? 'UTF-32BE' : undefined;
  if (a === 0 || (a === 0xfe && b === 0xff)) return 'UTF-16BE';
  if (b === 0 || (a === 0xff && b === 0xfe)) return c === 0 && d === 0 ? 'UTF-32LE' : 'UTF-16LE';
  return undefined;
}

function refuseWide(encoding: string): DecodeFailure {
  const hint = `Save the file as UTF-8 in your editor, or convert it with iconv -f ${encoding} -t UTF-8.`;
  return { message: `The file is ${encoding} text from byte 0 on. A document must be UTF-8 text.`, hint, offset: 0 };
}

function refuseBytes(bytes: Uint8Array): DecodeFailure {
  const at = firstInvalidByte(bytes);
  const invalid = [...bytes.subarray(at, at + 4)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const message = `The file is not UTF-8 text: the bytes ${invalid} at byte ${at} are not a character.`;
  const hint =
    'Save the file as UTF-8. If its encoding is Latin-1 or Windows-1252, convert it with iconv -f WINDOWS-1252 -t UTF-8.';
  return { message, hint, offset: textOffset(bytes, at) };
}

/** Returns the offset of the first byte sequence that is not a character, or the length of the bytes. */
export function firstInvalidByte(bytes: Uint8Array): number {
  let at = 0;
  for (let length = 1; at < bytes.length; at += length) {
    length = sequenceLength(bytes, at);
    if (length === 0) return at;
  }
  return at;
}

// The ranges are those of table 3-7 of the Unicode standard, which excludes overlong sequences, surrogates and values beyond U+10FFFF.
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0) return 0;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1] ?? 0;
  if (second < lowest || second > highest) return 0;
  const rest = bytes.subarray(at + 2, at + length);
  return rest.length === length - 2 && rest.every((byte) => byte >= 0x80 && byte <= 0xbf) ? length : 0;
}
