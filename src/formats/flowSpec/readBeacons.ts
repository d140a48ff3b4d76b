// Requests as BeaconEvent v1 records: which vendor was told of which event.
import { type BodyRead, readBody } from './beaconBody.js';
import type { Reading, Vendor } from './vendorModel.js';

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

export type SentRequest = {
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

const longestExcerpt = 2_048;

/** None for a request that is no beacon. */
export function readBeacons(sent: SentRequest, vendors: readonly Vendor[]): BeaconEvent[] {
  const vendor = vendorOf(sent.url, vendors);
  if (!vendor || !URL.canParse(sent.url)) return [];
  const body = readBody(sent.body);
  const query = Object.fromEntries(new URL(sent.url).searchParams);
  return recordsOf(vendor, body, query).map((record) => toEvent(vendor, sent, { ...record, body }));
}

export function vendorOf(url: string, vendors: readonly Vendor[]): Vendor | undefined {
  const isIn = (pattern: string): boolean => compiled(pattern).test(url);
  return vendors.find(({ match, exclude = [] }) => match.some(isIn) && !exclude.some(isIn));
}

const patterns = new Map<string, RegExp>();

// Every request of every page is held against all of them.
function compiled(pattern: string): RegExp {
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
type Said = { params: Record<string, string>; item: Record<string, unknown> };

function recordsOf(vendor: Vendor, { text = '', form, items }: BodyRead, query: Record<string, string>): Said[] {
  if (vendor.isByLine) {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    const all = lines.length > 0 ? lines : [''];
    return all.map((line) => ({ params: { ...query, ...Object.fromEntries(new URLSearchParams(line)) }, item: {} }));
  }
  const params = { ...query, ...form };
  if (items.length === 0) return [{ params, item: {} }];
  return items.map((item) => ({ params: { ...params, ...scalarsOf(item) }, item }));
}

function scalarsOf(item: Record<string, unknown>): Record<string, string> {
  const scalars = Object.entries(item).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return Object.fromEntries(scalars.map(([key, value]) => [key, String(value)]));
}

function toEvent({ vendor, event, account }: Vendor, sent: SentRequest, said: Said & { body: BodyRead }): BeaconEvent {
  const read = (readings: readonly Reading[] = []): string | null => {
    for (const reading of readings) {
      const value = readValue(reading, said, sent);
      if (value !== undefined && value !== '') return value;
    }
    return null;
  };
  const { text } = said.body;
  return {
    ...{ schema_version: '1', vendor, event_name: read(event), account_id: read(account) },
    ...{ request_url: sent.url, method: sent.method === 'POST' ? 'POST' : 'GET', params: said.params },
    post_body_excerpt: text === undefined || text === '' ? null : (sent.mask?.(text) ?? text).slice(0, longestExcerpt),
    ...{ page_url: sent.pageUrl, timestamp: sent.timestamp },
  };
}

function readValue(reading: Reading, said: Said, sent: SentRequest): string | undefined {
  if (typeof reading === 'string') return valueAt(reading, said, sent);
  const { from, pattern, is, prefix = '', and } = reading;
  const found = valueAt(from, said, sent);
  if (found === undefined || found === '') return undefined;
  const value = is ?? (pattern === undefined ? found : compiled(pattern).exec(found)?.[1]);
  if (value === undefined) return undefined;
  const more = and === undefined ? undefined : valueAt(and, said, sent);
  return `${prefix}${value}${more ? `/${more}` : ''}`;
}

function valueAt(path: string, { params, item }: Said, { url, auth }: SentRequest): string | undefined {
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
