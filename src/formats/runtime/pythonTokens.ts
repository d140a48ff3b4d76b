// A text of a condition as words of Python.

/** It could be code, but none that is understood here: it is refused, whatever it would have done. */
export class NotAllowed extends Error {}

/** It is no expression at all. */
export class NotExpression extends Error {}

export type Token = { is: 'number' | 'text' | 'name' | 'sign' | 'end'; text: string; at: number };

/** Longer ones are no conditions. */
export const longestExpression = 4_096;

const word =
  /\s*(?:(?<number>0[xXoObB]\w+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)|(?<text>(?:\b[bBfFrRuU]{1,2})?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))|(?<name>\.{3}|[\p{L}_][\p{L}\p{N}_]*)|(?<sign>==|!=|<=|>=|\/\/|\*\*|:=|->|[-+*/%<>()[\]{}.,:|=&^~@;!#]))/uy;

export function tokensOf(text: string): Token[] {
  if (text.length > longestExpression) throw new NotAllowed(`it has ${text.length} characters, more than ${longestExpression}`);
  const tokens: Token[] = [];
  word.lastIndex = 0;
  const end = text.trimEnd().length;
  while (word.lastIndex < end) {
    const from = word.lastIndex;
    const groups = word.exec(text)?.groups;
    if (!groups) throw new NotExpression(`${JSON.stringify(text.slice(from).trim()[0] ?? '')} is no part of an expression`);
    tokens.push(tokenOf(groups, from));
    // The rest is a comment, if all this is Python.
    if (groups.sign === '#') break;
  }
  tokens.push({ is: 'end', text: '', at: end });
  return tokens;
}

function tokenOf({ number, text, name, sign = '' }: Record<string, string | undefined>, at: number): Token {
  if (number !== undefined) return { is: 'number', text: plainNumber(number), at };
  if (text !== undefined) return { is: 'text', text: unquoted(text), at };
  if (name === undefined) return { is: 'sign', text: sign, at };
  if (name.startsWith('__')) throw new NotAllowed(`${name} is a name of Python itself`);
  return { is: 'name', text: name, at };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ...['\\', "'", '"'].map((char) => [char, char] as const),
]);

function unquoted(text: string): string {
  if (!/^['"]/.test(text)) throw new NotAllowed('a text has a letter before its quotes');
  return text.slice(1, -1).replace(/\\(.)/g, (_, char: string) => {
    const meant = escapes.get(char);
    if (meant === undefined) throw new NotAllowed(`\\${char} is not among the signs that are understood after a backslash`);
    return meant;
  });
}

function plainNumber(text: string): string {
  if (/^0\d*[1-9]\d*$/.test(text)) throw new NotExpression(`${text} begins with a zero`);
  const isInt = /^\d+$/.test(text);
  const isPlain = isInt || /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);
  const isKept = isInt ? Number.isSafeInteger(Number(text)) : Number.isFinite(Number(text));
  if (!isPlain || !isKept)
    throw new NotAllowed(`the number ${text.slice(0, 60)} is not written in plain decimals, or is too large`);
  return text;
}

/** Goes through the tokens of a text. */
export class TokenCursor {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get now(): Token {
    return this.tokens[this.at] ?? { is: 'end', text: '', at: 0 };
  }

  get after(): Token | undefined {
    return this.tokens[this.at + 1];
  }

  pass(count = 1): void {
    this.at += count;
  }

  takes(text: string): boolean {
    const { is } = this.now;
    if (this.now.text !== text || (is !== 'sign' && is !== 'name')) return false;
    this.at++;
    return true;
  }

  oneOf(...signs: string[]): string | undefined {
    return signs.find((sign) => this.takes(sign));
  }

  expect(sign: string): void {
    if (!this.takes(sign)) this.refuse();
  }

  refuse(): never {
    const { is, text } = this.now;
    throw new NotExpression(is === 'end' ? 'it ends too early' : `${JSON.stringify(text)} does not belong there`);
  }
}
