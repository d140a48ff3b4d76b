// Finds the place of every key and value of a JSON text, up to its end or to the first syntax error.
import type { Place } from './finding.js';
import { joinPointer } from './jsonPointer.js';

export type Expected = 'value' | 'item' | 'key' | 'first key' | 'colon' | 'comma' | 'end' | 'closing quote' | 'escape';

/** The place at which the text stops being JSON. `start`: the beginning of the invalid string. `key`: the key whose value was expected. */
export type Stop = { offset: number; expected: Expected; start: number; key: number | undefined };

/** The entries are in the order of the text. The entries inside a container follow it, up to its `after`. */
export type Outline = {
  /** The offset of the key of each entry. An array item and the root have no key, so it is the offset of the value. */
  keys: number[];
  values: number[];
  /** For each entry, the index of the first entry after it that is not inside it. */
  after: number[];
  /** The containers that are still open at the place where the text stops. */
  open: number[];
  stop?: Stop;
};

export function outlineText(text: string): Outline {
  const { keys, values, after, open, stop } = new Outliner(text).run();
  return { keys, values, after, open, ...(stop ? { stop } : {}) };
}

/** Returns the offset of the closing quote of a string. The string must be closed. */
export function closingQuote(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Returns the string whose opening quote is at the offset. */
export function stringAt(text: string, offset: number): string {
  const raw = text.slice(offset, closingQuote(text, offset) + 1);
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

/** Returns the word at an offset: letters, digits and signs without a space, such as a number or `true`. */
export function wordAt(text: string, start: number): string {
  let end = start;
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

const numberPattern = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

// Not recursive, because a project can raise the limit of levels, and the document must not overflow the stack.
class Outliner {
  readonly keys: number[] = [];
  readonly values: number[] = [];
  readonly after: number[] = [];
  readonly open: number[] = [];
  stop: Stop | undefined;
  private at = 0;
  private expected: Expected = 'value';
  private key: number | undefined;

  constructor(private readonly text: string) {}

  run(): this {
    const { text } = this;
    for (this.skipSpace(); this.at < text.length && !this.stop; this.skipSpace()) this.step(text[this.at] ?? '');
    if (this.expected !== 'end') this.fail();
    return this;
  }

  private step(char: string): void {
    const { expected } = this;
    if (expected === 'value') this.readValue(char);
    else if (expected === 'item') char === ']' ? this.close() : this.readValue(char);
    else if (expected === 'first key') char === '}' ? this.close() : this.readKey(char);
    else if (expected === 'key') this.readKey(char);
    else if (expected === 'colon') char === ':' ? this.advance('value') : this.fail();
    else if (expected === 'comma') this.readComma(char);
    else this.fail();
  }

  private readValue(char: string): void {
    const isContainer = char === '{' || char === '[';
    const end = isContainer ? this.at + 1 : char === '"' ? this.stringEnd() : this.wordEnd();
    if (end === undefined) return;
    this.keys.push(this.key ?? this.at);
    this.values.push(this.at);
    this.after.push(this.values.length);
    this.key = undefined;
    this.at = end;
    if (isContainer) this.open.push(this.values.length - 1);
    this.expected = isContainer ? (char === '{' ? 'first key' : 'item') : this.afterValue();
  }

  private readKey(char: string): void {
    const end = char === '"' ? this.stringEnd() : this.fail();
    if (end === undefined) return;
    this.key = this.at;
    this.at = end;
    this.expected = 'colon';
  }

  private readComma(char: string): void {
    const isObject = this.text[this.values[this.open.at(-1) ?? 0] ?? 0] === '{';
    if (char === ',') this.advance(isObject ? 'key' : 'value');
    else if (char === (isObject ? '}' : ']')) this.close();
    else this.fail();
  }

  private close(): void {
    const container = this.open.pop() ?? 0;
    this.after[container] = this.values.length;
    this.advance(this.afterValue());
  }

  private afterValue(): Expected {
    return this.open.length > 0 ? 'comma' : 'end';
  }

  private advance(expected: Expected): void {
    this.at++;
    this.expected = expected;
  }

  private fail(offset = this.at, expected = this.expected): undefined {
    this.stop ??= { offset, expected, start: this.at, key: this.key };
  }

  private stringEnd(): number | undefined {
    const { text } = this;
    for (let at = this.at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) return at + 1;
      if (code < 0x20) return this.fail(at, 'closing quote');
      if (code !== 0x5c) continue;
      const length = escapeLength(text, at);
      if (at + 1 === text.length) break;
      if (length === 0) return this.fail(at, 'escape');
      at += length - 1;
    }
    return this.fail(text.length, 'closing quote');
  }

  private wordEnd(): number | undefined {
    const word = wordAt(this.text, this.at);
    if (word === 'true' || word === 'false' || word === 'null' || numberPattern.test(word)) return this.at + word.length;
    return this.fail();
  }

  private skipSpace(): void {
    const { text } = this;
    let code = text.charCodeAt(this.at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++this.at);
  }
}

function escapeLength(text: string, at: number): number {
  const kind = text[at + 1] ?? '';
  if (kind === 'u') return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? 6 : 0;
  return kind !== '' && '"\\/bfnrt'.includes(kind) ? 2 : 0;
}

function isWordCode(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return (
    isLetter ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5f ||
    code === 0x24
  );
}

/** Creates a function that returns the line and the column of an offset. Both count from 1. A column is a UTF-16 unit, as in editors. */
export function createPlaceFinder(file: string, text: string): (offset: number) => Place {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Creates a function that returns the offset of a pointer's key or value. If the value is missing, returns the offset of its nearest parent. */
export function createPointerFinder(text: string): (pointer: string, part: 'key' | 'value') => number {
  let outline: Outline | undefined;
  const known = new Map<number, Map<string, number>>();
  return (pointer, part) => {
    outline ??= outlineText(text);
    let entry = 0;
    for (const segment of splitPointer(pointer)) {
      const children = known.get(entry) ?? findChildren(text, outline, entry);
      known.set(entry, children);
      const next = children.get(segment);
      if (next === undefined) break;
      entry = next;
    }
    return (part === 'key' ? outline.keys[entry] : outline.values[entry]) ?? 0;
  };
}

function findChildren(text: string, { keys, values, after }: Outline, entry: number): Map<string, number> {
  const children = new Map<string, number>();
  const isObject = text[values[entry] ?? 0] === '{';
  const end = after[entry] ?? 0;
  for (let child = entry + 1; child < end; child = after[child] ?? end) {
    children.set(isObject ? stringAt(text, keys[child] ?? 0) : String(children.size), child);
  }
  return children;
}

function splitPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Returns the JSON pointer of the value that begins or continues at the place where a text stops being JSON. */
export function findStopPointer(text: string, outline: Outline): string {
  const { open, keys, stop } = outline;
  const segments = open.map((entry, level) => {
    const child = open[level + 1];
    if (child === undefined) return stop?.key === undefined ? findExpectedItem(text, outline, entry) : [stringAt(text, stop.key)];
    return [isObject(text, outline, entry) ? stringAt(text, keys[child] ?? 0) : countItemsBefore(outline, entry, child)];
  });
  // Each name is joined separately. `joinPointer('', ...names)` fails when a document has more levels than a call may have arguments.
  return segments.flatMap((names) => names.map((name) => joinPointer('', name))).join('');
}

/** Returns the index of the array item that was expected. Empty when the array ends at that place, or lacks a comma. */
function findExpectedItem(text: string, outline: Outline, entry: number): number[] {
  const { stop, values } = outline;
  const isItemExpected = stop !== undefined && stop.expected !== 'comma' && !/[\]}]/.test(text[stop.offset] ?? '');
  return isItemExpected && !isObject(text, outline, entry) ? [countItemsBefore(outline, entry, values.length)] : [];
}

function countItemsBefore({ after }: Outline, array: number, entry: number): number {
  let count = 0;
  for (let child = array + 1; child < entry; child = after[child] ?? entry) count++;
  return count;
}

function isObject(text: string, { values }: Outline, entry: number): boolean {
  return text[values[entry] ?? 0] === '{';
}
