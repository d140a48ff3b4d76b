// Goes down the grammar of Python's expressions as far as it is understood here.
import { type Counts, functions, methods } from './pythonCalls.js';
import type { Expression, Spelling } from './pythonExpression.js';
import { NotAllowed, NotExpression, type Token, TokenCursor } from './pythonTokens.js';
import { asFloat } from './pythonValue.js';
import { constants, foreign, isConstant, words } from './pythonWords.js';

const deepest = 40;

export class Parser extends TokenCursor {
  private depth = 0;

  /** Tuples that stand elsewhere than after `in`, where they are no lists. */
  private tuples = 0;
  private foreign: string | undefined;

  constructor(
    tokens: readonly Token[],
    private readonly spelling: Spelling,
  ) {
    super(tokens);
  }

  whole(): Expression {
    const first = this.choice();
    const items = [first];
    let isBare = true;
    while (this.takes(',')) {
      isBare = false;
      if (!this.isOver()) items.push(this.choice());
    }
    if (!this.isOver()) this.refuse();
    if (!isBare || this.now.is !== 'end') notOne(items);
    if (this.tuples > 0) throw new NotAllowed('a tuple is understood after "in" alone; [ ] makes a list');
    if (this.foreign !== undefined && first.is !== 'name')
      throw new NotAllowed(`${this.foreign} is not understood; the constants are True, False and None`);
    return first;
  }

  private isOver(): boolean {
    return this.now.is === 'end' || (this.now.is === 'sign' && this.now.text === '#');
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
    for (let sign = this.comparator(); sign !== undefined; sign = this.comparator()) {
      const left = rest.at(-1)?.right ?? first;
      const right = this.sum();
      if (sign.endsWith('in') && right.is === 'list' && right.tuple) this.tuples--;
      if (sign.startsWith('is') && !isConstant(left) && !isConstant(right))
        throw new NotAllowed('"is" is understood with True, False and None alone');
      rest.push({ sign, right });
    }
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
    const signs: string[] = [];
    for (let sign = this.oneOf('+', '-'); sign; sign = this.oneOf('+', '-')) signs.push(sign);
    const of = this.primary();
    if (signs.length === 0) return of;
    const minus: Expression = { is: 'minus', of };
    return signs.filter((sign) => sign === '-').length % 2 === 1 ? minus : { is: 'minus', of: minus };
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
    if (this.takes('(')) return { is: 'call', name, of, args: this.arguments(name, methods) };
    if (of.is === 'value' || of.is === 'list') throw new NotAllowed(`.${name} of a literal is not understood`);
    return { is: 'member', of, key: { is: 'value', value: name }, dotted: true };
  }

  private atom(): Expression {
    const { is, text } = this.now;
    if (is === 'number' || is === 'text') {
      this.pass();
      if (is === 'text' && this.now.is === 'text') throw new NotAllowed('two texts stand side by side');
      return { is: 'value', value: is === 'text' ? text : /^\d+$/.test(text) ? Number(text) : asFloat(Number(text)) };
    }
    if (this.takes('(')) return this.inParentheses();
    if (this.takes('[')) return { is: 'list', items: this.list(']') };
    const name = this.name();
    if (constants[this.spelling].has(name)) return { is: 'value', value: constants[this.spelling].get(name) };
    if (this.takes('(')) return { is: 'call', name, args: this.arguments(name, functions) };
    if (foreign.has(name)) this.foreign = name;
    return { is: 'name', name };
  }

  private inParentheses(): Expression {
    const first = this.choice();
    if (!this.takes(',')) {
      this.expect(')');
      return first;
    }
    this.tuples++;
    return { is: 'list', items: [first, ...this.list(')')], tuple: true };
  }

  private arguments(name: string, known: Counts): Expression[] {
    const [least, most] = known.get(name) ?? [0, 0];
    if (!known.has(name)) throw new NotAllowed(`${name}() is not among ${[...known.keys()].join(', ')}`);
    const args = this.list(')');
    if (args.length >= least && args.length <= most) return args;
    throw new NotAllowed(`${name}() is not understood with ${args.length} arguments`);
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

/** Words with commas between them, or with a number sign behind, are a text that somebody wrote. */
function notOne(items: readonly Expression[]): never {
  if (items.every(({ is }) => is === 'name' || is === 'value')) throw new NotExpression('it is a row of words');
  throw new NotAllowed('it is several expressions, or has a comment');
}
