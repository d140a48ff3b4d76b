// Replaces the placeholders in a string: {a}, {a=x}, {a:int=3}, {a?x:y}, {a??x}, {list[index]} and arithmetic.
import { TemplateError } from './templateError.js';
import { isTruthy, type TemplateValues } from './templateValues.js';

export type Substitution = {
  values: TemplateValues;
  /** The name of the field, for the message when a value is missing. */
  label?: string;
  /** Prints objects as JSON instead of "[object Object]". */
  objectsAsJson?: boolean;
};

const namePattern = '[A-Za-z_][A-Za-z0-9_-]*';
const typePattern = 'string|path|int|number|bool|array|enum\\([^)]*\\)';
const nullishPattern = new RegExp(`^(${namePattern})\\?\\?(.*)$`, 's');
const ternaryPattern = /^([^?:]+)\?([^:]*):(.*)$/s;
const conditionPattern = new RegExp(`^(!?)(${namePattern})$`);
const elementPattern = new RegExp(`^(${namePattern})\\[(${namePattern}|\\d+)\\]$`);
const plainPattern = new RegExp(`^(${namePattern})(?::(${typePattern}))?(?:=(.*))?$`, 's');

/** How many levels deep values may refer to other values. */
const maxDepth = 5;

export function substitute(text: string, filling: Substitution, depth = 0): string {
  return text.includes('{')
    ? text.replace(/\{([^{}]+)\}/g, (_, content: string) => fillPlaceholder(content, filling, depth))
    : text;
}

function fillPlaceholder(content: string, filling: Substitution, depth: number): string {
  const { values, label = 'command template' } = filling;
  const replacement =
    fillConditional(content, values) ??
    fillElement(content, filling) ??
    fillNamed(content, filling, depth) ??
    evaluateArithmetic(content, (variable) => (values.has(variable) ? String(values.read(variable)) : undefined));
  if (replacement !== undefined) return replacement;
  throw new TemplateError('template.missing_value', `Missing ${label} value: ${content}`, { placeholder: content });
}

/** Returns the chosen branch of a condition unchanged: its placeholders are not replaced. */
function fillConditional(content: string, values: TemplateValues): string | undefined {
  const [, name, fallback] = nullishPattern.exec(content) ?? [];
  if (name !== undefined) {
    const value = values.peek(name);
    return isTruthy(value) ? String(value) : fallback;
  }
  const [, condition, yes, no] = ternaryPattern.exec(content) ?? [];
  if (condition === undefined) return undefined;
  const [, not, flag] = conditionPattern.exec(condition) ?? [];
  const holds = flag !== undefined && isTruthy(values.peek(flag)) !== (not === '!');
  return holds ? yes : no;
}

function fillElement(content: string, { values, objectsAsJson }: Substitution): string | undefined {
  const [, list, at] = elementPattern.exec(content) ?? [];
  if (list === undefined || at === undefined) return undefined;
  const items = values.read(list);
  const index = /^\d+$/.test(at) ? Number(at) : Number(values.has(at) ? String(values.read(at)) : Number.NaN);
  if (!Array.isArray(items) || !Number.isInteger(index) || index < 0 || index >= items.length) return undefined;
  return formatValue(items[index], objectsAsJson === true, String);
}

function fillNamed(content: string, filling: Substitution, depth: number): string | undefined {
  const [, name, , fallback] = plainPattern.exec(content) ?? [];
  if (name === undefined) return undefined;
  const { values, objectsAsJson } = filling;
  if (!values.has(name)) return fallback;
  if (depth > maxDepth) {
    throw new TemplateError('template.endless_value', `Command template value recursion exceeded: ${name}`, {
      isEndless: true,
    });
  }
  const text = formatValue(values.read(name), objectsAsJson === true, JSON.stringify);
  return values.isAuthored(name) && typeof values.read(name) === 'string' ? substituteAuthored(text, filling, depth) : text;
}

// A string with a placeholder that has no value stays unchanged: it may be JSON or other text with braces.
function substituteAuthored(text: string, filling: Substitution, depth: number): string {
  try {
    return substitute(text, filling, depth + 1);
  } catch (thrown) {
    if (thrown instanceof TemplateError && !thrown.isEndless) return text;
    throw thrown;
  }
}

function formatValue(value: unknown, objectsAsJson: boolean, formatList: (value: unknown) => string): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return objectsAsJson ? JSON.stringify(value) : formatList(value);
  return objectsAsJson && typeof value === 'object' ? JSON.stringify(value) : String(value);
}

// Evaluates integer arithmetic in a placeholder: + - * / % and parentheses over integers and values that are integers.

/** Returns undefined when the name has no value. */
type ReadVariable = (name: string) => string | undefined;

/** Returns undefined for a string that is not an expression. Each underscore before `(…)` pads the result by one digit. */
function evaluateArithmetic(content: string, readVariable: ReadVariable): string | undefined {
  if (!/[()+\-*/%]/.test(content)) return undefined;
  const padded = /^\s*(_+)\((.*)\)\s*$/s.exec(content);
  const parser = new ArithmeticParser(padded?.[2] ?? content, content, readVariable);
  const text = String(parser.parse());
  return padded ? text.padStart((padded[1]?.length ?? 0) + 1, '0') : text;
}

class ArithmeticParser {
  private position = 0;

  constructor(
    private readonly text: string,
    private readonly content: string,
    private readonly readVariable: ReadVariable,
  ) {}

  parse(): number {
    const value = this.parseSum();
    if (this.position < this.text.length && this.text.slice(this.position).trim() !== '') throw this.createError();
    return value;
  }

  private parseSum(): number {
    let value = this.parseProduct();
    for (let sign = this.take(/[+-]/y); sign !== undefined; sign = this.take(/[+-]/y)) {
      value = sign === '+' ? value + this.parseProduct() : value - this.parseProduct();
    }
    return value;
  }

  private parseProduct(): number {
    let value = this.parseAtom();
    for (let sign = this.take(/[*/%]/y); sign !== undefined; sign = this.take(/[*/%]/y)) {
      const right = this.parseAtom();
      value = sign === '*' ? value * right : sign === '/' ? Math.trunc(value / right) : value % right;
    }
    return value;
  }

  private parseAtom(): number {
    const digits = this.take(/\d+/y);
    if (digits !== undefined) return Number(digits);
    const name = this.take(/[A-Za-z_][\w-]*/y);
    if (name !== undefined) return this.parseVariable(name);
    if (this.take(/\(/y) === undefined) throw this.createError();
    const value = this.parseSum();
    if (this.take(/\)/y) === undefined) throw this.createError();
    return value;
  }

  private parseVariable(name: string): number {
    const text = this.readVariable(name);
    if (text !== undefined && /^-?\d+$/.test(text.trim())) return Number(text);
    throw new TemplateError('template.invalid_expression', `Invalid command template expression variable: ${name}`);
  }

  private take(pattern: RegExp): string | undefined {
    while (/\s/.test(this.text[this.position] ?? '')) this.position++;
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  private createError(): TemplateError {
    return new TemplateError('template.invalid_expression', `Invalid command template expression: ${this.content}`);
  }
}

const cachedNames = new Map<string, readonly string[]>();
const noNames: readonly string[] = [];

/** Returns every name that the placeholders of a string may read. The list can contain words that are not names of values. */
export function findPlaceholderNames(text: unknown): readonly string[] {
  if (typeof text !== 'string' || !text.includes('{')) return noNames;
  const cached = cachedNames.get(text);
  if (cached) return cached;
  const contents = [...text.matchAll(/\{([^{}]+)\}/g)].map(([, content = '']) => content);
  const names = contents.flatMap((content) => [...content.matchAll(/[A-Za-z_][A-Za-z0-9_-]*/g)].map(([name]) => name));
  // Every recipe that imports a string needs its names again, so they are cached. Clearing the cache keeps its size bounded.
  if (cachedNames.size > 5_000) cachedNames.clear();
  cachedNames.set(text, names);
  return names;
}
