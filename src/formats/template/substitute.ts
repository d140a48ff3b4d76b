// Fills the placeholders of one text: {a}, {a=x}, {a:int=3}, {a?x:y}, {a??x}, {list[index]} and arithmetic.
import { evaluateExpression } from './evaluateExpression.js';
import { TemplateError } from './templateError.js';
import { isTrue, type TemplateValues } from './templateValues.js';

export type Substitution = {
  values: TemplateValues;
  /** What is being filled, for the message when a value is missing. */
  label?: string;
  /** Objects are written as JSON instead of as "[object Object]". */
  honest?: boolean;
};

const name = '[A-Za-z_][A-Za-z0-9_-]*';
const type = 'string|path|int|number|bool|array|enum\\([^)]*\\)';
const nullish = new RegExp(`^(${name})\\?\\?(.*)$`, 's');
const ternary = /^([^?:]+)\?([^:]*):(.*)$/s;
const condition = new RegExp(`^(!?)(${name})$`);
const element = new RegExp(`^(${name})\\[(${name}|\\d+)\\]$`);
const plain = new RegExp(`^(${name})(?::(${type}))?(?:=(.*))?$`, 's');

/** How many times a value may lead to another one. */
const deepest = 5;

export function substitute(text: string, filling: Substitution, depth = 0): string {
  return text.includes('{') ? text.replace(/\{([^{}]+)\}/g, (_, content: string) => fill(content, filling, depth)) : text;
}

function fill(content: string, filling: Substitution, depth: number): string {
  const { values, label = 'command template' } = filling;
  const found =
    chosen(content, values) ??
    elementOf(content, filling) ??
    named(content, filling, depth) ??
    evaluateExpression(content, (variable) => (values.has(variable) ? String(values.read(variable)) : undefined));
  if (found !== undefined) return found;
  throw new TemplateError('template.missing_value', `Missing ${label} value: ${content}`);
}

/** By a condition: what is chosen is plain text, in which nothing is filled in. */
function chosen(content: string, values: TemplateValues): string | undefined {
  const [, wanted, fallback] = nullish.exec(content) ?? [];
  if (wanted !== undefined) {
    const value = values.peek(wanted);
    return isTrue(value) ? String(value) : fallback;
  }
  const [, asked, yes, no] = ternary.exec(content) ?? [];
  if (asked === undefined) return undefined;
  const [, not, flag] = condition.exec(asked) ?? [];
  const holds = flag !== undefined && isTrue(values.peek(flag)) !== (not === '!');
  return holds ? yes : no;
}

function elementOf(content: string, { values, honest }: Substitution): string | undefined {
  const [, list, at] = element.exec(content) ?? [];
  if (list === undefined || at === undefined) return undefined;
  const items = values.read(list);
  const index = /^\d+$/.test(at) ? Number(at) : Number(values.has(at) ? String(values.read(at)) : Number.NaN);
  if (!Array.isArray(items) || !Number.isInteger(index) || index < 0 || index >= items.length) return undefined;
  return render(items[index], honest === true, String);
}

function named(content: string, filling: Substitution, depth: number): string | undefined {
  const [, wanted, , fallback] = plain.exec(content) ?? [];
  if (wanted === undefined) return undefined;
  const { values, honest } = filling;
  if (!values.has(wanted)) return fallback;
  if (depth > deepest) {
    throw new TemplateError('template.endless_value', `Command template value recursion exceeded: ${wanted}`, {
      isEndless: true,
    });
  }
  const text = render(values.read(wanted), honest === true, JSON.stringify);
  return values.isAuthored(wanted) && typeof values.read(wanted) === 'string' ? followed(text, filling, depth) : text;
}

// A text whose placeholders cannot all be filled is no template but a text with braces, such as JSON.
function followed(text: string, filling: Substitution, depth: number): string {
  try {
    return substitute(text, filling, depth + 1);
  } catch (thrown) {
    if (thrown instanceof TemplateError && !thrown.isEndless) return text;
    throw thrown;
  }
}

function render(value: unknown, honest: boolean, list: (value: unknown) => string): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return honest ? JSON.stringify(value) : list(value);
  return honest && typeof value === 'object' ? JSON.stringify(value) : String(value);
}
