// Integer arithmetic inside of a placeholder: + - * / % and parentheses over numbers and values that are integers.
import { TemplateError } from './templateError.js';

/** The text of a value, or undefined when there is none. */
export type Variable = (name: string) => string | undefined;

/** Undefined for what is no expression at all. `_(…)` pads: one digit more than there are underscores. */
export function evaluateExpression(content: string, variable: Variable): string | undefined {
  if (!/[()+\-*/%]/.test(content)) return undefined;
  const padded = /^\s*(_+)\((.*)\)\s*$/s.exec(content);
  const parser = new Parser(padded?.[2] ?? content, content, variable);
  const text = String(parser.whole());
  return padded ? text.padStart((padded[1]?.length ?? 0) + 1, '0') : text;
}

class Parser {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly content: string,
    private readonly variable: Variable,
  ) {}

  whole(): number {
    const value = this.sum();
    if (this.at < this.text.length && this.text.slice(this.at).trim() !== '') throw this.invalid();
    return value;
  }

  private sum(): number {
    let value = this.product();
    for (let sign = this.take(/[+-]/y); sign !== undefined; sign = this.take(/[+-]/y)) {
      value = sign === '+' ? value + this.product() : value - this.product();
    }
    return value;
  }

  private product(): number {
    let value = this.atom();
    for (let sign = this.take(/[*/%]/y); sign !== undefined; sign = this.take(/[*/%]/y)) {
      const right = this.atom();
      value = sign === '*' ? value * right : sign === '/' ? Math.trunc(value / right) : value % right;
    }
    return value;
  }

  private atom(): number {
    const digits = this.take(/\d+/y);
    if (digits !== undefined) return Number(digits);
    const name = this.take(/[A-Za-z_][\w-]*/y);
    if (name !== undefined) return this.valueOf(name);
    if (this.take(/\(/y) === undefined) throw this.invalid();
    const value = this.sum();
    if (this.take(/\)/y) === undefined) throw this.invalid();
    return value;
  }

  private valueOf(name: string): number {
    const text = this.variable(name);
    if (text !== undefined && /^-?\d+$/.test(text.trim())) return Number(text);
    throw new TemplateError('template.invalid_expression', `Invalid command template expression variable: ${name}`);
  }

  private take(pattern: RegExp): string | undefined {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private invalid(): TemplateError {
    return new TemplateError('template.invalid_expression', `Invalid command template expression: ${this.content}`);
  }
}
