// What the body of a beacon says: forms, JSON, batches of it, base64 and gzip around it.
import { gunzipSync } from 'node:zlib';

export type BodyRead = {
  text: string | undefined;
  /** The parameters of a form. */
  form: Record<string, string>;
  /** One for each event; what a batch says around its items counts for each of them. */
  items: readonly Record<string, unknown>[];
};

const longest = 1_000_000;
const batches = ['batch', 'events'];

export function readBody(bytes: Uint8Array | undefined): BodyRead {
  const text = bytes && bytes.length > 0 ? unpack(bytes) : undefined;
  if (text === undefined) return { text, form: {}, items: [] };
  const json = parse(text);
  if (json !== undefined) return { text, form: {}, items: itemsOf(json) };
  const form = formOf(text);
  const packed = form.data === undefined ? undefined : (parse(form.data) ?? parse(fromBase64(form.data)));
  return { text, form, items: packed === undefined ? [] : itemsOf(packed) };
}

function unpack(bytes: Uint8Array): string {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return Buffer.from(bytes.subarray(0, longest)).toString();
  try {
    return gunzipSync(bytes, { maxOutputLength: longest }).toString();
  } catch {
    // Z_DATA_ERROR, or ERR_BUFFER_TOO_LARGE: whatever it is, nobody can read events in it.
    return '';
  }
}

/** Objects only: a number by itself tells of no event. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // SyntaxError: it is something else.
    return undefined;
  }
}

function fromBase64(text: string): string {
  return /^[\w+/=-]+$/.test(text) ? Buffer.from(text, 'base64').toString() : '';
}

function itemsOf(json: object): Record<string, unknown>[] {
  if (Array.isArray(json)) return json.filter(isRecord);
  const around = json as Record<string, unknown>;
  const batch = batches.map((key) => around[key]).find(Array.isArray);
  return batch ? batch.filter(isRecord).map((item) => ({ ...around, ...item })) : [around];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function formOf(text: string): Record<string, string> {
  const boundary = /^--([^\r\n]{1,200})\r?\n/.exec(text)?.[1];
  if (boundary === undefined) return Object.fromEntries(new URLSearchParams(text));
  return Object.fromEntries(text.split(`--${boundary}`).flatMap(partOf));
}

// Cut by hand: a page writes these bodies, and a pattern over all of one could take for ever.
function partOf(part: string): [string, string][] {
  const lines = part.replaceAll('\r\n', '\n');
  const gap = lines.indexOf('\n\n');
  const [, name] = /name="([^"]*)"/.exec(lines.slice(0, Math.max(0, gap))) ?? [];
  return name === undefined ? [] : [[name, lines.slice(gap + 2).replace(/\n$/, '')]];
}
