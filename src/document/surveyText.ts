// One look at the bytes of a JSON text before it is parsed: how deep it nests, how many keys it has, and whether a closer look is due.
import type { ReadLimits } from './readDocument.js';

export type Survey = {
  /** The byte at which the text nests deeper than allowed. */
  tooDeepAt?: number;
  keys: number;
  /** A string is longer than allowed, as far as its escaped spelling tells. */
  hasLongString: boolean;
};

/**
 * The same by native searches, for a text so small and plain that they tell enough: undefined for any other.
 * Every key is counted, and perhaps a `":` inside of a string: as many keys in the value means that none was given twice.
 */
export function glanceAt(text: string, size: number, limits: ReadLimits): Survey | undefined {
  if (size > limits.stringBytes || count(text, '{') + count(text, '[') > limits.depth) return undefined;
  let keys = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === 0x22) keys++;
    // After a blank it may be the colon of a key, or not.
    else if (before <= 0x20) return undefined;
  }
  return { keys, hasLongString: false };
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found++;
  return found;
}

// All characters that matter are ASCII, and a loop over bytes is twice as fast as one over a string.
export function surveyText(bytes: Uint8Array, limits: ReadLimits): Survey {
  let depth = 0;
  let keys = 0;
  let hasLongString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      const end = endOfString(bytes, at);
      hasLongString ||= end - at - 1 > limits.stringBytes;
      at = end;
    } else if (byte === 0x3a) keys++;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    if (depth > limits.depth) return { tooDeepAt: at, keys, hasLongString };
  }
  return { keys, hasLongString };
}

/** The byte of the closing quote, or the length of a text that has none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
  return at;
}
