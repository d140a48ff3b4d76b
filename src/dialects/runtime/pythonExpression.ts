// A small part of Python's expressions as a tree: comparisons, logic, sums, look-ups and a few harmless calls. Nothing is ever run as code.
import { NotAllowed, NotExpression, TokenCursor, tokensOf } from './pythonTokens.js';

export type Expression =
  | { is: 'value'; value: unknown }
  | { is: 'name'; name: string }
  | { is: 'list'; items: readonly Expression[] }
  | { is: 'member'; of: Expression; key: Expression }
  | { is: 'call'; name: string; of?: Expression; args: readonly Expression[] }
  | { is: 'not' | 'minus'; of: Expression }
  | { is: 'and' | 'or'; left: Expression; right: Expression }
  | { is: 'sum'; sign: string; left: Expression; right: Expression }
  | { is: 'compare'; first: Expression; rest: readonly { sign: string; right: Expression }[] }
  | { is: 'choice'; when: Expression; yes: Expression; no: Expression };

export const functions: ReadonlySet<string> = new Set(['len', 'str', 'int', 'float', 'bool', 'abs', 'min', 'max', 'any', 'all']);
export const methods: ReadonlySet<string> = new Set(['get', 'lower', 'upper', 'strip', 'startswith', 'endswith']);

/** @throws NotAllowed for what looks like other code, NotExpression for what looks like none */
export function parseExpression(text: string): Expression {
  try {
    return new Parser(tokensOf(text)).whole();
  } catch (thrown) {
    if (thrown instanceof NotExpression && codeLike.test(text)) throw new NotAllowed(thrown.message);
    throw thrown;
  }
}

const codeLike =
  /__|[()[\]{};=`&|^~@]|\*\*|<<|>>|^\s*(import|from|lambda|def|class|exec|eval|del|raise|yield|await|async|global|with)\b|\blambda\b/;

const words = new Set(
  'and,or,not,in,is,if,else,lambda,import,for,while,def,class,yield,await,async,del,with,exec,eval'.split(','),
);
const deepest = 40;

class Parser extends TokenCursor {
  private depth = 0;

  whole(): Expression {
    const parsed = this.choice();
    if (this.now.is !== 'end') this.refuse();
    return parsed;
  }

  private choice(): Expression {
    if (++this.depth > deepest) throw new NotAllowed(`it nests deeper than ${deepest} levels`);
    const yes = this.or();
    let parsed = yes;
    if (this.takes('if')) {
      const when = this.or();
      if (!this.takes('else')) this.refuse();
      parsed = { is: 'choice', when, yes, no: this.choice() };
    }
    this.depth--;
    return parsed;
  }

  private or(): Expression {
    let left = this.and();
    while (this.takes('or')) left = { is: 'or', left, right: this.and() };
    return left;
  }

  private and(): Expression {
    let left = this.not();
    while (this.takes('and')) left = { is: 'and', left, right: this.not() };
    return left;
  }

  private not(): Expression {
    let count = 0;
    while (this.takes('not')) count++;
    const of = this.comparison();
    return count === 0 ? of : { is: 'not', of: count % 2 === 1 ? of : { is: 'not', of } };
  }

  private comparison(): Expression {
    const first = this.sum();
    const rest: { sign: string; right: Expression }[] = [];
    for (let sign = this.comparator(); sign !== undefined; sign = this.comparator()) rest.push({ sign, right: this.sum() });
    return rest.length === 0 ? first : { is: 'compare', first, rest };
  }

  private comparator(): string | undefined {
    for (const sign of ['==', '!=', '<=', '>=', '<', '>', 'in']) if (this.takes(sign)) return sign;
    if (this.takes('is')) return this.takes('not') ? 'is not' : 'is';
    if (this.now.text !== 'not' || this.after?.text !== 'in') return undefined;
    this.pass(2);
    return 'not in';
  }

  private sum(): Expression {
    let left = this.product();
    for (let sign = this.oneOf('+', '-'); sign; sign = this.oneOf('+', '-'))
      left = { is: 'sum', sign, left, right: this.product() };
    return left;
  }

  private product(): Expression {
    let left = this.signed();
    for (let sign = this.oneOf('*', '/', '//', '%'); sign; sign = this.oneOf('*', '/', '//', '%')) {
      left = { is: 'sum', sign, left, right: this.signed() };
    }
    return left;
  }

  private signed(): Expression {
    if (this.takes('-')) return { is: 'minus', of: this.primary() };
    this.takes('+');
    return this.primary();
  }

  private primary(): Expression {
    let parsed = this.atom();
    for (;;) {
      if (this.takes('.')) parsed = this.attribute(parsed);
      else if (this.takes('[')) {
        parsed = { is: 'member', of: parsed, key: this.choice() };
        this.expect(']');
      } else if (this.now.text === '(' && this.now.is === 'sign') throw new NotAllowed('it calls something that is not known');
      else return parsed;
    }
  }

  private attribute(of: Expression): Expression {
    const name = this.name();
    if (name.startsWith('_')) throw new NotAllowed(`.${name} is not for others to read`);
    if (!this.takes('(')) return { is: 'member', of, key: { is: 'value', value: name } };
    if (!methods.has(name)) throw new NotAllowed(`.${name}() is not among ${[...methods].join(', ')}`);
    return { is: 'call', name, of, args: this.list(')') };
  }

  private atom(): Expression {
    const { is, text } = this.now;
    if (is === 'number' || is === 'text') {
      this.pass();
      return { is: 'value', value: is === 'number' ? Number(text) : text };
    }
    if (this.takes('(')) return this.inParentheses();
    if (this.takes('[')) return { is: 'list', items: this.list(']') };
    const name = this.name();
    if (constants.has(name)) return { is: 'value', value: constants.get(name) };
    if (!this.takes('(')) return { is: 'name', name };
    if (!functions.has(name)) throw new NotAllowed(`${name}() is not among ${[...functions].join(', ')}`);
    return { is: 'call', name, args: this.list(')') };
  }

  private inParentheses(): Expression {
    const first = this.choice();
    if (!this.takes(',')) {
      this.expect(')');
      return first;
    }
    return { is: 'list', items: [first, ...this.list(')')] };
  }

  private list(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.takes(end)) {
      items.push(this.choice());
      if (this.takes(end)) break;
      this.expect(',');
    }
    return items;
  }

  private name(): string {
    const { is, text } = this.now;
    if (is !== 'name' || words.has(text)) this.refuse();
    this.pass();
    return text;
  }
}

const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['none', null],
  ['null', null],
]);
