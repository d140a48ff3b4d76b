// Where every key and value of a JSON text stands, up to its end or to the first thing that is not JSON.
export type Expected = 'value' | 'item' | 'key' | 'first key' | 'colon' | 'comma' | 'end' | 'closing quote' | 'escape';

/** Where the text stops being JSON, what was expected there, where the string that is wrong begins, and the key whose value was due. */
export type Stop = { offset: number; expected: Expected; start: number; key: number | undefined };

/** Entries are in the order of the text, so what a container holds lies between it and `after` it. */
export type Outline = {
  /** Offsets of the keys; an array item and the root have that of their value. */
  keys: number[];
  values: number[];
  /** The first entry behind each entry and all it holds. */
  after: number[];
  /** The containers that are still open where the text stops. */
  open: number[];
  stop?: Stop;
};

export function outlineText(text: string): Outline {
  const { keys, values, after, open, stop } = new Outliner(text).run();
  return { keys, values, after, open, ...(stop ? { stop } : {}) };
}

/** The offset of the closing quote of a string that is known to be closed. */
export function closingQuote(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** The string whose opening quote stands at the offset. */
export function stringAt(text: string, offset: number): string {
  const raw = text.slice(offset, closingQuote(text, offset) + 1);
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

/** The letters, digits and signs that stand together, as those of a number or of `true` do. */
export function wordAt(text: string, start: number): string {
  let end = start;
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

// Not recursive, since a reader with raised limits must not run out of stack.
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
    else if (expected === 'colon') char === ':' ? this.pass('value') : this.fail();
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
    if (char === ',') this.pass(isObject ? 'key' : 'value');
    else if (char === (isObject ? '}' : ']')) this.close();
    else this.fail();
  }

  private close(): void {
    const container = this.open.pop() ?? 0;
    this.after[container] = this.values.length;
    this.pass(this.afterValue());
  }

  private afterValue(): Expected {
    return this.open.length > 0 ? 'comma' : 'end';
  }

  private pass(expected: Expected): void {
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
    if (word === 'true' || word === 'false' || word === 'null' || number.test(word)) return this.at + word.length;
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
