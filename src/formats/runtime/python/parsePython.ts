// Parses a subset of Python expressions: comparisons, logic, arithmetic, member access and a few harmless calls. The parsed
// expressions never run as Python code.
import { type ArgumentCounts, functionArguments, methodArguments } from './operations.js';
import { toFloat } from './values.js';

export type PythonExpression =
  | { kind: 'value'; value: unknown }
  | { kind: 'name'; name: string }
  | { kind: 'list'; items: readonly PythonExpression[]; tuple?: true }
  | { kind: 'member'; of: PythonExpression; key: PythonExpression; dotted?: true }
  | { kind: 'call'; name: string; of?: PythonExpression; args: readonly PythonExpression[] }
  | { kind: 'not' | 'minus'; of: PythonExpression }
  | { kind: 'and' | 'or'; left: PythonExpression; right: PythonExpression }
  | { kind: 'sum'; sign: string; left: PythonExpression; right: PythonExpression }
  | { kind: 'compare'; first: PythonExpression; rest: readonly { sign: string; right: PythonExpression }[] }
  | { kind: 'choice'; when: PythonExpression; yes: PythonExpression; no: PythonExpression };

/** `template`: an expression in braces, which can also use the constants of Jinja. */
export type Spelling = 'python' | 'template';

/** @throws UnsupportedExpression for other code, NotExpression for text that is not code */
export function parsePython(text: string, spelling: Spelling = 'python'): PythonExpression {
  try {
    return new ExpressionParser(tokenize(text), spelling).parse();
  } catch (thrown) {
    if (thrown instanceof NotExpression && codePattern.test(text)) throw new UnsupportedExpression(thrown.message);
    throw thrown;
  }
}

const codePattern =
  /__|[()[\]{};=`&|^~@]|\*\*|<<|>>|^\s*(import|from|lambda|def|class|exec|eval|del|raise|yield|await|async|global|with)\b|\blambda\b|\\\n/;

/** Whether the expression has no names, comparisons or calls: 5, 'x', [1, 2], 1/2, 2024-10-15. */
export function isLiteral(expression: PythonExpression): boolean {
  if (expression.kind === 'list') return expression.items.every(isLiteral);
  if (expression.kind === 'minus') return isLiteral(expression.of);
  return expression.kind === 'sum' ? isLiteral(expression.left) && isLiteral(expression.right) : expression.kind === 'value';
}

/** The string looks like Python code, but the code is not in the supported subset. */
export class UnsupportedExpression extends Error {}

/** The string is not an expression. */
export class NotExpression extends Error {}

type Token = { kind: 'number' | 'text' | 'name' | 'sign' | 'end'; text: string; at: number };

const maxExpressionLength = 4_096;

const tokenPattern =
  /\s*(?:(?<number>0[xXoObB]\w+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)|(?<text>(?:\b[bBfFrRuU]{1,2})?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))|(?<name>\.{3}|[\p{L}_][\p{L}\p{N}_]*)|(?<sign>==|!=|<=|>=|\/\/|\*\*|:=|->|[-+*/%<>()[\]{}.,:|=&^~@;!#]))/uy;

function tokenize(text: string): Token[] {
  if (text.length > maxExpressionLength)
    throw new UnsupportedExpression(`it has ${text.length} characters, more than the limit of ${maxExpressionLength}`);
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  const end = text.trimEnd().length;
  while (tokenPattern.lastIndex < end) {
    const start = tokenPattern.lastIndex;
    const groups = tokenPattern.exec(text)?.groups;
    if (!groups) throw new NotExpression(`${JSON.stringify(text.slice(start).trim()[0] ?? '')} is not part of an expression`);
    tokens.push(toToken(groups, start));
    // In Python, the rest is a comment.
    if (groups.sign === '#') break;
  }
  tokens.push({ kind: 'end', text: '', at: end });
  return tokens;
}

function toToken({ number, text, name, sign = '' }: Record<string, string | undefined>, at: number): Token {
  if (number !== undefined) return { kind: 'number', text: requirePlainNumber(number), at };
  if (text !== undefined) return { kind: 'text', text: unquote(text), at };
  if (name === undefined) return { kind: 'sign', text: sign, at };
  if (name.startsWith('__')) throw new UnsupportedExpression(`${name} is a special name of Python`);
  return { kind: 'name', text: name, at };
}

const escapedCharacters: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ...['\\', "'", '"'].map((char) => [char, char] as const),
]);

function unquote(text: string): string {
  if (!/^['"]/.test(text)) throw new UnsupportedExpression('prefixes of strings, such as f"", are not supported');
  return text.slice(1, -1).replace(/\\(.)/g, (_, char: string) => {
    const character = escapedCharacters.get(char);
    if (character === undefined) throw new UnsupportedExpression(`the escape sequence \\${char} is not supported`);
    return character;
  });
}

function requirePlainNumber(text: string): string {
  if (/^0\d*[1-9]\d*$/.test(text)) throw new NotExpression(`${text} begins with a zero`);
  const isInt = /^\d+$/.test(text);
  const isPlain = isInt || /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);
  const isRepresentable = isInt ? Number.isSafeInteger(Number(text)) : Number.isFinite(Number(text));
  if (!isPlain || !isRepresentable)
    throw new UnsupportedExpression(`the number ${text.slice(0, 60)} is not a plain decimal number, or it is too large`);
  return text;
}

class TokenCursor {
  private index = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get current(): Token {
    return this.tokens[this.index] ?? { kind: 'end', text: '', at: 0 };
  }

  get next(): Token | undefined {
    return this.tokens[this.index + 1];
  }

  skip(count = 1): void {
    this.index += count;
  }

  accept(text: string): boolean {
    const { kind } = this.current;
    if (this.current.text !== text || (kind !== 'sign' && kind !== 'name')) return false;
    this.index++;
    return true;
  }

  acceptOneOf(...signs: string[]): string | undefined {
    return signs.find((sign) => this.accept(sign));
  }

  expect(sign: string): void {
    if (!this.accept(sign)) this.refuse();
  }

  refuse(): never {
    const { kind, text } = this.current;
    throw new NotExpression(kind === 'end' ? 'it ends too early' : `${JSON.stringify(text)} is unexpected`);
  }
}

const keywords: ReadonlySet<string> = new Set(
  'and,or,not,in,is,if,else,lambda,import,for,while,def,class,yield,await,async,del,with,exec,eval'.split(','),
);

const pythonConstants: [string, unknown][] = [
  ['True', true],
  ['False', false],
  ['None', null],
];
const jinjaConstants: [string, unknown][] = pythonConstants.map(([name, value]) => [name.toLowerCase(), value]);
const constants: Record<Spelling, ReadonlyMap<string, unknown>> = {
  python: new Map(pythonConstants),
  template: new Map([...pythonConstants, ...jinjaConstants]),
};
/** Constants of other languages. An author who writes them does not mean a name. */
const foreignConstants: ReadonlySet<string> = new Set(['true', 'false', 'none', 'null', '...']);

function isConstant(expression: PythonExpression): boolean {
  return expression.kind === 'value' && (expression.value === null || typeof expression.value === 'boolean');
}

const maxDepth = 40;

/** A recursive descent parser. */
class ExpressionParser extends TokenCursor {
  private depth = 0;

  /** The number of tuples that do not directly follow `in`. Only after `in` does a tuple mean the same as a list. */
  private tupleCount = 0;
  private foreignConstant: string | undefined;

  constructor(
    tokens: readonly Token[],
    private readonly spelling: Spelling,
  ) {
    super(tokens);
  }

  parse(): PythonExpression {
    const first = this.parseChoice();
    const items = [first];
    let isSingle = true;
    while (this.accept(',')) {
      isSingle = false;
      if (!this.isAtEnd()) items.push(this.parseChoice());
    }
    if (!this.isAtEnd()) this.refuse();
    if (!isSingle || this.current.kind !== 'end') refuseSeveral(items);
    if (this.tupleCount > 0) throw new UnsupportedExpression('a tuple is only supported after "in"; use [ ] for a list');
    if (this.foreignConstant !== undefined && first.kind !== 'name')
      throw new UnsupportedExpression(`${this.foreignConstant} is not supported; the constants are True, False and None`);
    return first;
  }

  private isAtEnd(): boolean {
    return this.current.kind === 'end' || (this.current.kind === 'sign' && this.current.text === '#');
  }

  private parseChoice(): PythonExpression {
    if (++this.depth > maxDepth) throw new UnsupportedExpression(`it is nested deeper than ${maxDepth} levels`);
    const yes = this.parseOr();
    let parsed = yes;
    if (this.accept('if')) {
      const when = this.parseOr();
      if (!this.accept('else')) this.refuse();
      parsed = { kind: 'choice', when, yes, no: this.parseChoice() };
    }
    this.depth--;
    return parsed;
  }

  private parseOr(): PythonExpression {
    let left = this.parseAnd();
    while (this.accept('or')) left = { kind: 'or', left, right: this.parseAnd() };
    return left;
  }

  private parseAnd(): PythonExpression {
    let left = this.parseNot();
    while (this.accept('and')) left = { kind: 'and', left, right: this.parseNot() };
    return left;
  }

  private parseNot(): PythonExpression {
    let count = 0;
    while (this.accept('not')) count++;
    const of = this.parseComparison();
    return count === 0 ? of : { kind: 'not', of: count % 2 === 1 ? of : { kind: 'not', of } };
  }

  private parseComparison(): PythonExpression {
    const first = this.parseSum();
    const rest: { sign: string; right: PythonExpression }[] = [];
    for (let sign = this.parseComparator(); sign !== undefined; sign = this.parseComparator()) {
      const left = rest.at(-1)?.right ?? first;
      const right = this.parseSum();
      if (sign.endsWith('in') && right.kind === 'list' && right.tuple) this.tupleCount--;
      if (sign.startsWith('is') && !isConstant(left) && !isConstant(right))
        throw new UnsupportedExpression('"is" is only supported with True, False and None');
      rest.push({ sign, right });
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest };
  }

  private parseComparator(): string | undefined {
    for (const sign of ['==', '!=', '<=', '>=', '<', '>', 'in']) if (this.accept(sign)) return sign;
    if (this.accept('is')) return this.accept('not') ? 'is not' : 'is';
    if (this.current.text !== 'not' || this.next?.text !== 'in') return undefined;
    this.skip(2);
    return 'not in';
  }

  private parseSum(): PythonExpression {
    let left = this.parseProduct();
    for (let sign = this.acceptOneOf('+', '-'); sign; sign = this.acceptOneOf('+', '-'))
      left = { kind: 'sum', sign, left, right: this.parseProduct() };
    return left;
  }

  private parseProduct(): PythonExpression {
    let left = this.parseSigned();
    for (let sign = this.acceptOneOf('*', '/', '//', '%'); sign; sign = this.acceptOneOf('*', '/', '//', '%')) {
      left = { kind: 'sum', sign, left, right: this.parseSigned() };
    }
    return left;
  }

  private parseSigned(): PythonExpression {
    const signs: string[] = [];
    for (let sign = this.acceptOneOf('+', '-'); sign; sign = this.acceptOneOf('+', '-')) signs.push(sign);
    const of = this.parsePrimary();
    if (signs.length === 0) return of;
    const minus: PythonExpression = { kind: 'minus', of };
    return signs.filter((sign) => sign === '-').length % 2 === 1 ? minus : { kind: 'minus', of: minus };
  }

  private parsePrimary(): PythonExpression {
    let parsed = this.parseAtom();
    for (;;) {
      if (this.accept('.')) parsed = this.parseAttribute(parsed);
      else if (this.accept('[')) {
        parsed = { kind: 'member', of: parsed, key: this.parseChoice() };
        this.expect(']');
      } else if (this.current.text === '(' && this.current.kind === 'sign')
        throw new UnsupportedExpression('only named functions and methods can be called');
      else return parsed;
    }
  }

  private parseAttribute(of: PythonExpression): PythonExpression {
    const name = this.parseName();
    if (name.startsWith('_')) throw new UnsupportedExpression(`.${name} is private`);
    if (this.accept('(')) return { kind: 'call', name, of, args: this.parseArguments(name, methodArguments) };
    if (of.kind === 'value' || of.kind === 'list') throw new UnsupportedExpression(`.${name} of a literal is not supported`);
    return { kind: 'member', of, key: { kind: 'value', value: name }, dotted: true };
  }

  private parseAtom(): PythonExpression {
    const { kind, text } = this.current;
    if (kind === 'number' || kind === 'text') {
      this.skip();
      if (kind === 'text' && this.current.kind === 'text') throw new UnsupportedExpression('two strings are next to each other');
      return { kind: 'value', value: kind === 'text' ? text : /^\d+$/.test(text) ? Number(text) : toFloat(Number(text)) };
    }
    if (this.accept('(')) return this.parseParentheses();
    if (this.accept('[')) return { kind: 'list', items: this.parseList(']') };
    const name = this.parseName();
    if (constants[this.spelling].has(name)) return { kind: 'value', value: constants[this.spelling].get(name) };
    if (this.accept('(')) return { kind: 'call', name, args: this.parseArguments(name, functionArguments) };
    if (foreignConstants.has(name)) this.foreignConstant = name;
    return { kind: 'name', name };
  }

  private parseParentheses(): PythonExpression {
    const first = this.parseChoice();
    if (!this.accept(',')) {
      this.expect(')');
      return first;
    }
    this.tupleCount++;
    return { kind: 'list', items: [first, ...this.parseList(')')], tuple: true };
  }

  private parseArguments(name: string, counts: ArgumentCounts): PythonExpression[] {
    const [min, max] = counts.get(name) ?? [0, 0];
    if (!counts.has(name)) throw new UnsupportedExpression(`${name}() is not supported, only ${[...counts.keys()].join(', ')}`);
    const args = this.parseList(')');
    if (args.length >= min && args.length <= max) return args;
    throw new UnsupportedExpression(`${name}() is not supported with ${args.length} arguments`);
  }

  private parseList(end: string): PythonExpression[] {
    const items: PythonExpression[] = [];
    while (!this.accept(end)) {
      items.push(this.parseChoice());
      if (this.accept(end)) break;
      this.expect(',');
    }
    return items;
  }

  private parseName(): string {
    const { kind, text } = this.current;
    if (kind !== 'name' || keywords.has(text)) this.refuse();
    this.skip();
    return text;
  }
}

/** Words that are separated by commas, or that precede a "#", are a string and not code. */
function refuseSeveral(items: readonly PythonExpression[]): never {
  if (items.every(({ kind }) => kind === 'name' || kind === 'value')) throw new NotExpression('it is a list of words');
  throw new UnsupportedExpression('it has several expressions or a comment');
}
