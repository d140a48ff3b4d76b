// Reads beacons of analytics vendors from requests, as BeaconEvent v1 records.

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
  /** The user name of basic authentication. */
  auth?: string | undefined;
  pageUrl: string;
  timestamp: string;
  /** Masks secrets in the body before it is shortened. */
  mask?: ((text: string) => string) | undefined;
};

const maxExcerptLength = 2_048;

/** Returns an empty list for a request that is not a beacon. */
export function readBeacons(request: SentRequest, vendors: readonly Vendor[]): BeaconEvent[] {
  const vendor = findVendor(request.url, vendors);
  if (!vendor || !URL.canParse(request.url)) return [];
  const body = readBeaconBody(request.body);
  const query = Object.fromEntries(new URL(request.url).searchParams);
  return splitIntoRecords(vendor, body, query).map((record) => toEvent(vendor, request, { ...record, body }));
}

export function findVendor(url: string, vendors: readonly Vendor[]): Vendor | undefined {
  const matchesUrl = (pattern: string): boolean => compilePattern(pattern).test(url);
  return vendors.find(({ match, exclude = [] }) => match.some(matchesUrl) && !exclude.some(matchesUrl));
}

const patterns = new Map<string, RegExp>();

// Caches compiled patterns, because every request is tested against all of them.
function compilePattern(pattern: string): RegExp {
  const regex = patterns.get(pattern) ?? new RegExp(pattern, 'i');
  patterns.set(pattern, regex);
  return regex;
}

/** Whether a beacon has the vendor and the event, in upper or lower case. Without an event, any beacon of the vendor matches. */
export function isBeaconOf(beacon: BeaconEvent, vendor: string, event?: string): boolean {
  if (beacon.vendor.toLowerCase() !== vendor.toLowerCase()) return false;
  return event === undefined || beacon.event_name?.toLowerCase() === event.toLowerCase();
}

/** `params` come from the query and a form. `item` is the JSON of the event. */
type BeaconFields = { params: Record<string, string>; item: Record<string, unknown> };

function splitIntoRecords(vendor: Vendor, { text = '', form, items }: BeaconBody, query: Record<string, string>): BeaconFields[] {
  if (vendor.isByLine) {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    const eventLines = lines.length > 0 ? lines : [''];
    return eventLines.map((line) => ({ params: { ...query, ...Object.fromEntries(new URLSearchParams(line)) }, item: {} }));
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
  request: SentRequest,
  fields: BeaconFields & { body: BeaconBody },
): BeaconEvent {
  const read = (readings: readonly Reading[] = []): string | null => {
    for (const reading of readings) {
      const value = readValue(reading, fields, request);
      if (value !== undefined && value !== '') return value;
    }
    return null;
  };
  const { text } = fields.body;
  return {
    schema_version: '1',
    vendor,
    event_name: read(event),
    account_id: read(account),
    request_url: request.url,
    method: request.method === 'POST' ? 'POST' : 'GET',
    params: fields.params,
    post_body_excerpt: text === undefined || text === '' ? null : (request.mask?.(text) ?? text).slice(0, maxExcerptLength),
    page_url: request.pageUrl,
    timestamp: request.timestamp,
  };
}

function readValue(reading: Reading, fields: BeaconFields, request: SentRequest): string | undefined {
  if (typeof reading === 'string') return readPath(reading, fields, request);
  const { from, pattern, is, prefix = '', and } = reading;
  const rawValue = readPath(from, fields, request);
  if (rawValue === undefined || rawValue === '') return undefined;
  const value = is ?? (pattern === undefined ? rawValue : compilePattern(pattern).exec(rawValue)?.[1]);
  if (value === undefined) return undefined;
  const suffix = and === undefined ? undefined : readPath(and, fields, request);
  return `${prefix}${value}${suffix ? `/${suffix}` : ''}`;
}

function readPath(path: string, { params, item }: BeaconFields, { url, auth }: SentRequest): string | undefined {
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

type BeaconBody = {
  text: string | undefined;
  /** The parameters of a form. */
  form: Record<string, string>;
  /** One item per event. Each item of a batch also has the fields of the batch. */
  items: readonly Record<string, unknown>[];
};

const maxBodyLength = 1_000_000;
const batchKeys = ['batch', 'events'];

/** Reads forms, JSON and batches of JSON, also in base64 and gzip. */
function readBeaconBody(bytes: Uint8Array | undefined): BeaconBody {
  const text = bytes && bytes.length > 0 ? unpack(bytes) : undefined;
  if (text === undefined) return { text, form: {}, items: [] };
  const json = parseObject(text);
  if (json !== undefined) return { text, form: {}, items: splitBatch(json) };
  const form = parseForm(text);
  const data = form.data === undefined ? undefined : (parseObject(form.data) ?? parseObject(decodeBase64(form.data)));
  return { text, form, items: data === undefined ? [] : splitBatch(data) };
}

function unpack(bytes: Uint8Array): string {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return Buffer.from(bytes.subarray(0, maxBodyLength)).toString();
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBodyLength }).toString();
  } catch {
    // Z_DATA_ERROR or ERR_BUFFER_TOO_LARGE: no events can be read.
    return '';
  }
}

/** Returns undefined unless the string is a JSON object or array. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // SyntaxError: the text is not JSON.
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

// Does not match a regular expression with the whole body: the page controls the body and could make the match very slow.
function parseFormPart(part: string): [string, string][] {
  const text = part.replaceAll('\r\n', '\n');
  const headerEnd = text.indexOf('\n\n');
  const [, name] = /name="([^"]*)"/.exec(text.slice(0, Math.max(0, headerEnd))) ?? [];
  return name === undefined ? [] : [[name, text.slice(headerEnd + 2).replace(/\n$/, '')]];
}
