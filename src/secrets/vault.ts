// The secret values of one run, and the masks that take their place in everything that is kept or printed.
import { locate, maskLabel, render } from './locate.js';
import { maskJson } from './maskJson.js';
import { compileMatcher, foldedBytes, type Pattern } from './matcher.js';
import { idleRedactor, type Masks, openRedactor, type Redactor } from './openRedactor.js';
import { partsOf } from './partsOf.js';
import { spellings } from './spellings.js';
import { weakness } from './weakness.js';

export type Place = { start: number; end: number };

export type Vault = {
  /** The names of the secrets that are masked. */
  readonly names: readonly string[];
  /** Values that cannot be masked, and why: a run may not begin with one. */
  readonly refused: ReadonlyMap<string, string>;
  /** The same text when it holds no secret. */
  mask(text: string): string;
  /** Every key, text and number inside; the same value when it holds no secret. */
  maskJson(value: unknown): unknown;
  redactor(): Redactor;
  /** Where secrets stand in a text, in its characters and in order. */
  places(text: string): Place[];
  /** The names of the secrets in there. */
  find(bytes: Uint8Array): string[];
};

export function openVault(secrets: ReadonlyMap<string, string>): Vault {
  const refused = new Map<string, string>();
  const kept = new Map<string, string>();
  for (const [name, value] of secrets) {
    const why = weakness(value);
    if (why === undefined) kept.set(name, value);
    else refused.set(name, why);
  }
  return kept.size === 0 ? { ...emptyVault, refused } : fill(kept, refused);
}

const emptyVault: Vault = {
  ...{ names: [], refused: new Map() },
  mask: (text) => text,
  maskJson: (value) => value,
  redactor: () => idleRedactor,
  places: () => [],
  find: () => [],
};

function fill(secrets: ReadonlyMap<string, string>, refused: ReadonlyMap<string, string>): Vault {
  const known = prepare(secrets);
  const numbers = numbersOf(secrets);
  const mask = (text: string): string => maskText(known, text);
  const number = (value: number): number | string => {
    const label = numbers.get(value);
    const shown = label === undefined ? mask(String(value)) : String(known.masks[label]);
    return shown === String(value) ? value : shown;
  };
  return {
    ...{ names: known.names, refused, mask },
    maskJson: (value) => maskJson(value, { text: mask, number }),
    redactor: () => openRedactor(known),
    places: (text) => placesIn(known, text),
    find(bytes) {
      const { hits } = locate(known.matcher, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return [...new Set(hits.map(({ label }) => known.names[label] as string))].sort();
    },
  };
}

function prepare(secrets: ReadonlyMap<string, string>): Masks {
  const patterns = new Map<string, Pattern>();
  const add = (text: string, label: number): void => {
    const bytes = foldedBytes(text);
    const key = bytes.toString('latin1');
    if (!patterns.has(key)) patterns.set(key, { bytes, label });
  };
  const names = [...secrets.keys()];
  const masks = names.map(maskOf);
  for (const [label, value] of [...secrets.values()].entries()) {
    for (const part of partsOf(value)) for (const spelled of spellings(part)) add(spelled, label);
  }
  for (const mask of masks) add(mask, maskLabel);
  return { matcher: compileMatcher([...patterns.values()]), names, masks: masks.map((mask) => Buffer.from(mask)) };
}

// A mask stands in JSON, HTML and shell text, so that its name may not end any of them.
function maskOf(name: string): string {
  return `[secret:${name.replace(/[^\p{L}\p{N}_.-]/gu, '_')}]`;
}

function maskText({ matcher, masks }: Masks, text: string): string {
  if (text.length < matcher.shortest && Buffer.byteLength(text) < matcher.shortest) return text;
  const bytes = Buffer.from(text);
  const { hits } = locate(matcher, bytes);
  if (hits.length === 0) return text;
  const { pieces } = render(bytes, hits, { covered: 0, to: bytes.length, mask: (label) => masks[label] as Buffer });
  return Buffer.concat(pieces).toString();
}

function placesIn({ matcher }: Masks, text: string): Place[] {
  const bytes = Buffer.from(text);
  let [at, length] = [0, 0];
  return locate(matcher, bytes).hits.map((hit) => {
    length += bytes.toString('utf8', at, hit.start).length;
    at = hit.start;
    return { start: length, end: length + bytes.toString('utf8', hit.start, hit.end).length };
  });
}

/** A number has lost the zeros around its digits; one that is short by then could be any. */
function numbersOf(secrets: ReadonlyMap<string, string>): Map<number, number> {
  const values = [...secrets.values()].map((value) => value.trim());
  const numeric = [...values.entries()].filter(([, value]) => /^\d+(\.\d+)?$/.test(value) && Number(value) >= 100_000);
  return new Map(numeric.map(([label, value]) => [Number(value), label]));
}
