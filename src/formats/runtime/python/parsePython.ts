// A small part of Python's expressions as a tree: comparisons, logic, sums, look-ups and a few harmless calls. Nothing is ever run as code.
import { type ArgumentCounts, functionArguments, methodArguments } from './operations.js';
import { toFloat } from './values.js';

export type PythonExpression =
  | { is: 'value'; value: unknown }
  | { is: 'name'; name: string }
  | { is: 'list'; items: readonly PythonExpression[]; tuple?: true }
  | { is: 'member'; of: PythonExpression; key: PythonExpression; dotted?: true }
  | { is: 'call'; name: string; of?: PythonExpression; args: readonly PythonExpression[] }
  | { is: 'not' | 'minus'; of: PythonExpression }
  | { is: 'and' | 'or'; left: PythonExpression; right: PythonExpression }
  | { is: 'sum'; sign: string; left: PythonExpression; right: PythonExpression }
  | { is: 'compare'; first: PythonExpression; rest: readonly { sign: string; right: PythonExpression }[] }
  | { is: 'choice'; when: PythonExpression; yes: PythonExpression; no: PythonExpression };

/** `template`: what stands in braces has the constants of Jinja as well. */
export type Spelling = 'python' | 'template';

/** @throws NotAllowed for what looks like other code, NotExpression for what looks like none */
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

/** It names nothing, asks nothing and calls nothing: 5, 'x', [1, 2], 1/2, 2024-10-15. */
export function isLiteral(expression: PythonExpression): boolean {
  if (expression.is === 'list') return expression.items.every(isLiteral);
  if (expression.is === 'minus') return isLiteral(expression.of);
  return expression.is === 'sum' ? isLiteral(expression.left) && isLiteral(expression.right) : expression.is === 'value';
}

// A text of a condition as words of Python.

/** It could be code, but none that is understood here: it is refused, whatever it would have done. */
export class UnsupportedExpression extends Error {}

/** It is no expression at all. */
export class NotExpression extends Error {}

type Token = { is: 'number' | 'text' | 'name' | 'sign' | 'end'; text: string; at: number };

/** Longer ones are no conditions. */
const maxExpressionLength = 4_096;

const tokenPattern =
  /\s*(?:(?<number>0[xXoObB]\w+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)|(?<text>(?:\b[bBfFrRuU]{1,2})?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))|(?<name>\.{3}|[\p{L}_][\p{L}\p{N}_]*)|(?<sign>==|!=|<=|>=|\/\/|\*\*|:=|->|[-+*/%<>()[\]{}.,:|=&^~@;!#]))/uy;

function tokenize(text: string): Token[] {
  if (text.length > maxExpressionLength)
    throw new UnsupportedExpression(`it has ${text.length} characters, more than ${maxExpressionLength}`);
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  const end = text.trimEnd().length;
  while (tokenPattern.lastIndex < end) {
    const from = tokenPattern.lastIndex;
    const groups = tokenPattern.exec(text)?.groups;
    if (!groups) throw new NotExpression(`${JSON.stringify(text.slice(from).trim()[0] ?? '')} is no part of an expression`);
    tokens.push(toToken(groups, from));
    // The rest is a comment, if all this is Python.
    if (groups.sign === '#') break;
  }
  tokens.push({ is: 'end', text: '', at: end });
  return tokens;
}

function toToken({ number, text, name, sign = '' }: Record<string, string | undefined>, at: number): Token {
  if (number !== undefined) return { is: 'number', text: requirePlainNumber(number), at };
  if (text !== undefined) return { is: 'text', text: unquote(text), at };
  if (name === undefined) return { is: 'sign', text: sign, at };
  if (name.startsWith('__')) throw new UnsupportedExpression(`${name} is a name of Python itself`);
  return { is: 'name', text: name, at };
}

const escapedCharacters: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ...['\\', "'", '"'].map((char) => [char, char] as const),
]);

function unquote(text: string): string {
  if (!/^['"]/.test(text)) throw new UnsupportedExpression('a text has a letter before its quotes');
  return text.slice(1, -1).replace(/\\(.)/g, (_, char: string) => {
    const character = escapedCharacters.get(char);
    if (character === undefined)
      throw new UnsupportedExpression(`\\${char} is not among the signs that are understood after a backslash`);
    return character;
  });
}

function requirePlainNumber(text: string): string {
  if (/^0\d*[1-9]\d*$/.test(text)) throw new NotExpression(`${text} begins with a zero`);
  const isInt = /^\d+$/.test(text);
  const isPlain = isInt || /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);
  const isRepresentable = isInt ? Number.isSafeInteger(Number(text)) : Number.isFinite(Number(text));
  if (!isPlain || !isRepresentable)
    throw new UnsupportedExpression(`the number ${text.slice(0, 60)} is not written in plain decimals, or is too large`);
  return text;
}

/** Goes through the tokens of a text. */
class TokenCursor {
  private index = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get current(): Token {
    return this.tokens[this.index] ?? { is: 'end', text: '', at: 0 };
  }

  get next(): Token | undefined {
    return this.tokens[this.index + 1];
  }

  skip(count = 1): void {
    this.index += count;
  }

  accept(text: string): boolean {
    const { is } = this.current;
    if (this.current.text !== text || (is !== 'sign' && is !== 'name')) return false;
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
    const { is, text } = this.current;
    throw new NotExpression(is === 'end' ? 'it ends too early' : `${JSON.stringify(text)} does not belong there`);
  }
}

// Words that are no names.

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
/** Who writes these does not mean a value of the state. */
const foreignConstants: ReadonlySet<string> = new Set(['true', 'false', 'none', 'null', '...']);

function isConstant(expression: PythonExpression): boolean {
  return expression.is === 'value' && (expression.value === null || typeof expression.value === 'boolean');
}

// Goes down the grammar of Python's expressions as far as it is understood here.

const maxDepth = 40;

class ExpressionParser extends TokenCursor {
  private depth = 0;

  /** Tuples that stand elsewhere than after `in`, where they are no lists. */
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
    let isBare = true;
    while (this.accept(',')) {
      isBare = false;
      if (!this.isAtEnd()) items.push(this.parseChoice());
    }
    if (!this.isAtEnd()) this.refuse();
    if (!isBare || this.current.is !== 'end') refuseSeveral(items);
    if (this.tupleCount > 0) throw new UnsupportedExpression('a tuple is understood after "in" alone; [ ] makes a list');
    if (this.foreignConstant !== undefined && first.is !== 'name')
      throw new UnsupportedExpression(`${this.foreignConstant} is not understood; the constants are True, False and None`);
    return first;
  }

  private isAtEnd(): boolean {
    return this.current.is === 'end' || (this.current.is === 'sign' && this.current.text === '#');
  }

  private parseChoice(): PythonExpression {
    if (++this.depth > maxDepth) throw new UnsupportedExpression(`it nests deeper than ${maxDepth} levels`);
    const yes = this.parseOr();
    let parsed = yes;
    if (this.accept('if')) {
      const when = this.parseOr();
      if (!this.accept('else')) this.refuse();
      parsed = { is: 'choice', when, yes, no: this.parseChoice() };
    }
    this.depth--;
    return parsed;
  }

  private parseOr(): PythonExpression {
    let left = this.parseAnd();
    while (this.accept('or')) left = { is: 'or', left, right: this.parseAnd() };
    return left;
  }

  private parseAnd(): PythonExpression {
    let left = this.parseNot();
    while (this.accept('and')) left = { is: 'and', left, right: this.parseNot() };
    return left;
  }

  private parseNot(): PythonExpression {
    let count = 0;
    while (this.accept('not')) count++;
    const of = this.parseComparison();
    return count === 0 ? of : { is: 'not', of: count % 2 === 1 ? of : { is: 'not', of } };
  }

  private parseComparison(): PythonExpression {
    const first = this.parseSum();
    const rest: { sign: string; right: PythonExpression }[] = [];
    for (let sign = this.parseComparator(); sign !== undefined; sign = this.parseComparator()) {
      const left = rest.at(-1)?.right ?? first;
      const right = this.parseSum();
      if (sign.endsWith('in') && right.is === 'list' && right.tuple) this.tupleCount--;
      if (sign.startsWith('is') && !isConstant(left) && !isConstant(right))
        throw new UnsupportedExpression('"is" is understood with True, False and None alone');
      rest.push({ sign, right });
    }
    return rest.length === 0 ? first : { is: 'compare', first, rest };
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
      left = { is: 'sum', sign, left, right: this.parseProduct() };
    return left;
  }

  private parseProduct(): PythonExpression {
    let left = this.parseSigned();
    for (let sign = this.acceptOneOf('*', '/', '//', '%'); sign; sign = this.acceptOneOf('*', '/', '//', '%')) {
      left = { is: 'sum', sign, left, right: this.parseSigned() };
    }
    return left;
  }

  private parseSigned(): PythonExpression {
    const signs: string[] = [];
    for (let sign = this.acceptOneOf('+', '-'); sign; sign = this.acceptOneOf('+', '-')) signs.push(sign);
    const of = this.parsePrimary();
    if (signs.length === 0) return of;
    const minus: PythonExpression = { is: 'minus', of };
    return signs.filter((sign) => sign === '-').length % 2 === 1 ? minus : { is: 'minus', of: minus };
  }

  private parsePrimary(): PythonExpression {
    let parsed = this.parseAtom();
    for (;;) {
      if (this.accept('.')) parsed = this.parseAttribute(parsed);
      else if (this.accept('[')) {
        parsed = { is: 'member', of: parsed, key: this.parseChoice() };
        this.expect(']');
      } else if (this.current.text === '(' && this.current.is === 'sign')
        throw new UnsupportedExpression('it calls something that is not known');
      else return parsed;
    }
  }

  private parseAttribute(of: PythonExpression): PythonExpression {
    const name = this.name();
    if (name.startsWith('_')) throw new UnsupportedExpression(`.${name} is not for others to read`);
    if (this.accept('(')) return { is: 'call', name, of, args: this.parseArguments(name, methodArguments) };
    if (of.is === 'value' || of.is === 'list') throw new UnsupportedExpression(`.${name} of a literal is not understood`);
    return { is: 'member', of, key: { is: 'value', value: name }, dotted: true };
  }

  private parseAtom(): PythonExpression {
    const { is, text } = this.current;
    if (is === 'number' || is === 'text') {
      this.skip();
      if (is === 'text' && this.current.is === 'text') throw new UnsupportedExpression('two texts stand side by side');
      return { is: 'value', value: is === 'text' ? text : /^\d+$/.test(text) ? Number(text) : toFloat(Number(text)) };
    }
    if (this.accept('(')) return this.parseParentheses();
    if (this.accept('[')) return { is: 'list', items: this.parseList(']') };
    const name = this.name();
    if (constants[this.spelling].has(name)) return { is: 'value', value: constants[this.spelling].get(name) };
    if (this.accept('(')) return { is: 'call', name, args: this.parseArguments(name, functionArguments) };
    if (foreignConstants.has(name)) this.foreignConstant = name;
    return { is: 'name', name };
  }

  private parseParentheses(): PythonExpression {
    const first = this.parseChoice();
    if (!this.accept(',')) {
      this.expect(')');
      return first;
    }
    this.tupleCount++;
    return { is: 'list', items: [first, ...this.parseList(')')], tuple: true };
  }

  private parseArguments(name: string, known: ArgumentCounts): PythonExpression[] {
    const [least, most] = known.get(name) ?? [0, 0];
    if (!known.has(name)) throw new UnsupportedExpression(`${name}() is not among ${[...known.keys()].join(', ')}`);
    const args = this.parseList(')');
    if (args.length >= least && args.length <= most) return args;
    throw new UnsupportedExpression(`${name}() is not understood with ${args.length} arguments`);
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

  private name(): string {
    const { is, text } = this.current;
    if (is !== 'name' || keywords.has(text)) this.refuse();
    this.skip();
    return text;
  }
}

/** Words with commas between them, or with a number sign behind, are a text that somebody wrote. */
function refuseSeveral(items: readonly PythonExpression[]): never {
  if (items.every(({ is }) => is === 'name' || is === 'value')) throw new NotExpression('it is a row of words');
  throw new UnsupportedExpression('it is several expressions, or has a comment');
}
