// Requests as BeaconEvent v1 records: which vendor was told of which event.

import { gunzipSync } from 'node:zlib';
import type { Reading, Vendor } from './vendors.js';

export type BeaconEvent = {
  schema_version: '1';
  vendor: string;
  event_name: string | null;
  account_id: string | null;
  request_url: string;
  method: 'GET' | 'POST';
  params: Record<string, string>;
  post_body_excerpt: string | null;
  page_url: string;
  timestamp: string;
};

type SentRequest = {
  method: string;
  url: string;
  body?: Uint8Array | undefined;
  /** Of basic authentication: who asks. */
  auth?: string | undefined;
  pageUrl: string;
  timestamp: string;
  /** Takes secrets out of a text, before it is cut. */
  mask?: ((text: string) => string) | undefined;
};

const maxExcerptLength = 2_048;

/** None for a request that is no beacon. */
export function readBeacons(sent: SentRequest, vendors: readonly Vendor[]): BeaconEvent[] {
  const vendor = findVendor(sent.url, vendors);
  if (!vendor || !URL.canParse(sent.url)) return [];
  const body = readBeaconBody(sent.body);
  const query = Object.fromEntries(new URL(sent.url).searchParams);
  return splitIntoRecords(vendor, body, query).map((record) => toEvent(vendor, sent, { ...record, body }));
}

export function findVendor(url: string, vendors: readonly Vendor[]): Vendor | undefined {
  const isIn = (pattern: string): boolean => compilePattern(pattern).test(url);
  return vendors.find(({ match, exclude = [] }) => match.some(isIn) && !exclude.some(isIn));
}

const patterns = new Map<string, RegExp>();

// Every request of every page is held against all of them.
function compilePattern(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'i');
  patterns.set(pattern, known);
  return known;
}

/** Event-name match is case-insensitive; without an event, any of the vendor will do. */
export function isBeaconOf(beacon: BeaconEvent, vendor: string, event?: string): boolean {
  if (beacon.vendor.toLowerCase() !== vendor.toLowerCase()) return false;
  return event === undefined || beacon.event_name?.toLowerCase() === event.toLowerCase();
}

/** `params` are texts; `item` is what a JSON body says. */
type BeaconFields = { params: Record<string, string>; item: Record<string, unknown> };

function splitIntoRecords(vendor: Vendor, { text = '', form, items }: BeaconBody, query: Record<string, string>): BeaconFields[] {
  if (vendor.isByLine) {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    const all = lines.length > 0 ? lines : [''];
    return all.map((line) => ({ params: { ...query, ...Object.fromEntries(new URLSearchParams(line)) }, item: {} }));
  }
  const params = { ...query, ...form };
  if (items.length === 0) return [{ params, item: {} }];
  return items.map((item) => ({ params: { ...params, ...pickScalars(item) }, item }));
}

function pickScalars(item: Record<string, unknown>): Record<string, string> {
  const scalars = Object.entries(item).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return Object.fromEntries(scalars.map(([key, value]) => [key, String(value)]));
}

function toEvent(
  { vendor, event, account }: Vendor,
  sent: SentRequest,
  fields: BeaconFields & { body: BeaconBody },
): BeaconEvent {
  const read = (readings: readonly Reading[] = []): string | null => {
    for (const reading of readings) {
      const value = readValue(reading, fields, sent);
      if (value !== undefined && value !== '') return value;
    }
    return null;
  };
  const { text } = fields.body;
  return {
    ...{ schema_version: '1', vendor, event_name: read(event), account_id: read(account) },
    ...{ request_url: sent.url, method: sent.method === 'POST' ? 'POST' : 'GET', params: fields.params },
    post_body_excerpt: text === undefined || text === '' ? null : (sent.mask?.(text) ?? text).slice(0, maxExcerptLength),
    ...{ page_url: sent.pageUrl, timestamp: sent.timestamp },
  };
}

function readValue(reading: Reading, fields: BeaconFields, sent: SentRequest): string | undefined {
  if (typeof reading === 'string') return valueAt(reading, fields, sent);
  const { from, pattern, is, prefix = '', and } = reading;
  const found = valueAt(from, fields, sent);
  if (found === undefined || found === '') return undefined;
  const value = is ?? (pattern === undefined ? found : compilePattern(pattern).exec(found)?.[1]);
  if (value === undefined) return undefined;
  const more = and === undefined ? undefined : valueAt(and, fields, sent);
  return `${prefix}${value}${more ? `/${more}` : ''}`;
}

function valueAt(path: string, { params, item }: BeaconFields, { url, auth }: SentRequest): string | undefined {
  if (path === 'url') return url;
  if (path === 'auth') return auth;
  if (Object.hasOwn(params, path)) return params[path];
  let value: unknown = item;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

// What the body of a beacon says: forms, JSON, batches of it, base64 and gzip around it.

type BeaconBody = {
  text: string | undefined;
  /** The parameters of a form. */
  form: Record<string, string>;
  /** One for each event; what a batch says around its items counts for each of them. */
  items: readonly Record<string, unknown>[];
};

const maxBodyLength = 1_000_000;
const batchKeys = ['batch', 'events'];

function readBeaconBody(bytes: Uint8Array | undefined): BeaconBody {
  const text = bytes && bytes.length > 0 ? unpack(bytes) : undefined;
  if (text === undefined) return { text, form: {}, items: [] };
  const json = parseObject(text);
  if (json !== undefined) return { text, form: {}, items: splitBatch(json) };
  const form = parseForm(text);
  const packed = form.data === undefined ? undefined : (parseObject(form.data) ?? parseObject(decodeBase64(form.data)));
  return { text, form, items: packed === undefined ? [] : splitBatch(packed) };
}

function unpack(bytes: Uint8Array): string {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return Buffer.from(bytes.subarray(0, maxBodyLength)).toString();
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBodyLength }).toString();
  } catch {
    // Z_DATA_ERROR, or ERR_BUFFER_TOO_LARGE: whatever it is, nobody can read events in it.
    return '';
  }
}

/** Objects only: a number by itself tells of no event. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // SyntaxError: it is something else.
    return undefined;
  }
}

function decodeBase64(text: string): string {
  return /^[\w+/=-]+$/.test(text) ? Buffer.from(text, 'base64').toString() : '';
}

function splitBatch(json: object): Record<string, unknown>[] {
  if (Array.isArray(json)) return json.filter(isObject);
  const envelope = json as Record<string, unknown>;
  const batch = batchKeys.map((key) => envelope[key]).find(Array.isArray);
  return batch ? batch.filter(isObject).map((item) => ({ ...envelope, ...item })) : [envelope];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseForm(text: string): Record<string, string> {
  const boundary = /^--([^\r\n]{1,200})\r?\n/.exec(text)?.[1];
  if (boundary === undefined) return Object.fromEntries(new URLSearchParams(text));
  return Object.fromEntries(text.split(`--${boundary}`).flatMap(parseFormPart));
}

// Cut by hand: a page writes these bodies, and a pattern over all of one could take for ever.
function parseFormPart(part: string): [string, string][] {
  const lines = part.replaceAll('\r\n', '\n');
  const gap = lines.indexOf('\n\n');
  const [, name] = /name="([^"]*)"/.exec(lines.slice(0, Math.max(0, gap))) ?? [];
  return name === undefined ? [] : [[name, lines.slice(gap + 2).replace(/\n$/, '')]];
}
