// A text of a condition as words of Python.

/** It could be code, but none that is understood here: it is refused, whatever it would have done. */
export class NotAllowed extends Error {}

/** It is no expression at all. */
export class NotExpression extends Error {}

export type Token = { is: 'number' | 'text' | 'name' | 'sign' | 'end'; text: string; at: number };

/** Longer ones are no conditions. */
export const longestExpression = 4_096;

const word =
  /\s*(?:(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>==|!=|<=|>=|\/\/|\*\*|:=|->|[-+*/%<>()[\]{}.,:|=&^~@;!]))/uy;

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
  }
  tokens.push({ is: 'end', text: '', at: end });
  return tokens;
}

function tokenOf({ number, text, name, sign = '' }: Record<string, string | undefined>, at: number): Token {
  if (number !== undefined) return { is: 'number', text: number, at };
  if (text !== undefined) return { is: 'text', text: unquoted(text), at };
  if (name === undefined) return { is: 'sign', text: sign, at };
  if (name.startsWith('__')) throw new NotAllowed(`${name} is a name of Python itself`);
  return { is: 'name', text: name, at };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, (_, char: string) => escapes.get(char) ?? char);
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
