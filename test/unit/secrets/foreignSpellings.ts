// The 27 spellings of F41. Each has its own encoder, independent of src/secrets.
import { gzipSync } from 'node:zlib';

const hexOf = (text: string): string => Buffer.from(text).toString('hex');
const jsonOf = (text: string): string => JSON.stringify(text).slice(1, -1);
const formOf = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2);
const base32Of = (text: string): string => {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)]).join('');
};
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const points = (text: string, by: (point: number) => string): string =>
  [...text].map((char) => by(char.codePointAt(0) ?? 0)).join('');
const percented = (text: string): string => hexOf(text).replace(/../g, '%$&');

/** Spellings of which nothing may be left after masking. */
export const exact: Record<string, (value: string) => string> = {
  raw: (value) => value,
  'JSON once': jsonOf,
  'JSON twice': (value) => jsonOf(jsonOf(value)),
  'JSON \\u': (value) => value.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'URI once': encodeURIComponent,
  'URI twice': (value) => encodeURIComponent(encodeURIComponent(value)),
  form: formOf,
  'HTML named': (value) => value.replace(/[&<>"']/g, (char) => entities[char] ?? char),
  'HTML decimal': (value) => points(value, (point) => `&#${point};`),
  'HTML hex': (value) => points(value, (point) => `&#x${point.toString(16).toUpperCase()};`),
  'shell, single quotes': (value) => value.replaceAll("'", "'\\''"),
  'shell, double quotes': (value) => value.replace(/[$`"\\]/g, '\\$&'),
  'hex, lower': hexOf,
  'hex, upper': (value) => hexOf(value).toUpperCase(),
  base32: base32Of,
  'all-percent, upper': (value) => percented(value).toUpperCase(),
  'all-percent, lower': percented,
  'upper case': (value) => value.toUpperCase(),
  'lower case': (value) => value.toLowerCase(),
  'ANSI-split': (value) => [...value].join('\u001b[1;31m'),
};

/** Spellings whose first and last characters also depend on the text beside the value. */
export const cores: Record<string, (value: string) => string> = {
  'base64, offset 0': (value) => Buffer.from(`${value}.`).toString('base64'),
  'base64, offset 1': (value) => Buffer.from(`:${value}.`).toString('base64'),
  'base64, offset 2': (value) => Buffer.from(`u:${value}.`).toString('base64'),
  base64url: (value) => Buffer.from(`a:${value}.`).toString('base64url'),
};

/** Spellings that are not masked, as documented. */
export const unmaskedSpellings: Record<string, (value: string) => Uint8Array> = {
  reversed: (value) => Buffer.from([...value].reverse().join('')),
  gzip: (value) => gzipSync(value),
  'UTF-16': (value) => Buffer.from(value, 'utf16le'),
};
