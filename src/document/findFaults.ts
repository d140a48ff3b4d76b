// What JSON.parse lets pass without a word: keys given twice, halves of characters, numbers and strings that are too large.
import type { NamePlace } from './explainStop.js';
import { closingQuote, type Outline, stringAt, wordAt } from './outlineText.js';
import { joinPointer } from './pointer.js';
import type { ReadLimits } from './readDocument.js';

export type Fault = { code: string; path: string; offset: number; message: string; hint: string };

/** A file of a million equal keys has too many faults to list, and the pointers of a thousand can be longer than the file by far. */
const listed = { faults: 1000, pointers: 10_000_000 };

export function findFaults(text: string, outline: Outline, options: { limits: ReadLimits; name: NamePlace }): Fault[] {
  const search = new Search(text, outline, options);
  for (let entry = 0; entry < outline.values.length && !search.isFull; entry++) search.visit(entry);
  const last = search.faults.at(-1);
  if (search.isFull && last) last.message += ' The faults that follow are not listed.';
  return search.faults;
}

type Frame = { entry: number; names: Map<string, number> | undefined; items: number; segment: string | number };

class Search {
  readonly faults: Fault[] = [];
  isFull = false;
  private written = 0;
  private readonly frames: Frame[] = [];

  constructor(
    private readonly text: string,
    private readonly outline: Outline,
    private readonly options: { limits: ReadLimits; name: NamePlace },
  ) {}

  visit(entry: number): void {
    const { text, outline, frames } = this;
    while (frames.length > 0 && entry >= (outline.after[frames.at(-1)?.entry ?? 0] ?? 0)) frames.pop();
    const parent = frames.at(-1);
    if (parent?.names) this.visitKey(parent, parent.names, outline.keys[entry] ?? 0);
    else if (parent) parent.segment = parent.items++;
    const value = outline.values[entry] ?? 0;
    const char = text[value];
    if (char === '"') this.visitString(value);
    else if (char === '{' || char === '[') {
      frames.push({ entry, names: char === '{' ? new Map() : undefined, items: 0, segment: '' });
    } else this.visitWord(value);
  }

  private visitKey(parent: Frame, names: Map<string, number>, offset: number): void {
    const name = stringAt(this.text, offset);
    parent.segment = name;
    const first = names.get(name);
    if (first === undefined) names.set(name, offset);
    else this.report('document.duplicate_key', offset, () => this.tellTwice(name, first, offset));
    this.visitString(offset);
  }

  private tellTwice(name: string, first: number, second: number): [string, string] {
    const { name: place } = this.options;
    const places = `on ${place(first)} and on ${place(second)}`;
    const hint = 'Most JSON readers keep the last one without a word. Remove or rename one.';
    return [`The key ${shorten(name)} is given more than once in one object: ${places}.`, hint];
  }

  private visitString(offset: number): void {
    const raw = this.text.slice(offset, closingQuote(this.text, offset) + 1);
    const half = loneSurrogate(raw);
    if (half) this.report('document.lone_surrogate', offset + half.at, () => tellHalf(half.spelled));
    const { stringBytes } = this.options.limits;
    if (raw.length * 3 <= stringBytes) return;
    const size = Buffer.byteLength(JSON.parse(raw) as string);
    if (size > stringBytes) this.report('document.string_too_long', offset, () => tellLong(size, stringBytes));
  }

  private visitWord(offset: number): void {
    const word = wordAt(this.text, offset);
    if (Math.abs(Number(word)) !== Number.POSITIVE_INFINITY) return;
    const hint = 'Numbers go up to about 1.8e308. Write a smaller one, or put it in double quotes.';
    this.report('document.number_out_of_range', offset, () => [`The number ${shorten(word)} is too large to be kept.`, hint]);
  }

  private report(code: string, offset: number, tell: () => [message: string, hint: string]): void {
    const [message, hint] = tell();
    const path = this.frames.map(({ segment }) => joinPointer('', segment)).join('');
    this.written += path.length;
    this.faults.push({ code, path, offset, message, hint });
    this.isFull = this.faults.length >= listed.faults || this.written > listed.pointers;
  }
}

const escapes = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u([dD][89a-fA-F][0-9a-fA-F]{2})|\\./g;

function loneSurrogate(raw: string): { at: number; spelled: string } | undefined {
  if (!raw.includes('\\')) return undefined;
  for (const match of raw.matchAll(escapes)) if (match[1]) return { at: match.index, spelled: match[0] };
  return undefined;
}

function tellHalf(spelled: string): [string, string] {
  const hint = 'Characters beyond U+FFFF take two escapes, \\ud800 to \\udbff and then \\udc00 to \\udfff, or stand as they are.';
  return [`The escape ${spelled} is one half of a character, and the other half is missing.`, hint];
}

function tellLong(size: number, limit: number): [string, string] {
  return [
    `The string has ${size} bytes, more than the limit of ${limit}.`,
    'Keep long text in a file of its own and name the file here.',
  ];
}

function shorten(words: string): string {
  return JSON.stringify(words.length > 60 ? `${words.slice(0, 60)}…` : words);
}
