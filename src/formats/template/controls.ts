// Reads the control fields of a node: its condition, repetition, retry, time limits and failure scope.
import { substitute } from './placeholders.js';
import { TemplateError } from './templateError.js';
import { isTruthy, type TemplateValues } from './templateValues.js';

export type FailureScope = 'continue' | 'branch' | 'root';

const scopeRank: Readonly<Record<FailureScope, number>> = { continue: 0, branch: 1, root: 2 };

export function parseFailureScope(value: unknown): FailureScope {
  if (value === undefined) return 'continue';
  if (value === 'continue' || value === 'branch' || value === 'root') return value;
  throw new TemplateError('template.invalid_failure', 'Command template failure must be one of: continue, branch, root.');
}

export function widestScope(...scopes: (FailureScope | undefined)[]): FailureScope {
  return scopes.reduce<FailureScope>(
    (widest, scope = 'continue') => (scopeRank[scope] > scopeRank[widest] ? scope : widest),
    'continue',
  );
}

export type NumberField = { label: 'timeout' | 'delay' | 'retry' | 'concurrency' | 'min_successful'; values: TemplateValues };

/** Returns undefined when the field is not set, or is empty after its placeholders are replaced. */
export function readNumber(value: unknown, { label, values }: NumberField): number | undefined {
  if (value === undefined) return undefined;
  const substituted = typeof value === 'string' ? substitute(value, { values, label }) : value;
  if (substituted === '') return undefined;
  const number = Number(substituted);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new TemplateError('template.invalid_number', `Command template ${label} must be a non-negative number.`);
}

/** Returns the number of attempts, including the first one. */
export function readRetryCount(value: unknown, values: TemplateValues): number {
  return readCount(value, { label: 'retry', values }) ?? 1;
}

export function readCount(value: unknown, field: NumberField): number | undefined {
  const count = readNumber(value, field);
  if (count === undefined || (Number.isInteger(count) && count >= 1)) return count;
  throw new TemplateError('template.invalid_number', `Command template ${field.label} must be a positive integer.`);
}

const listLengthPattern = /^\{([A-Za-z_][A-Za-z0-9_-]*)\.length\}$|^([A-Za-z_][A-Za-z0-9_-]*)\.length$/;

export function readRepeatCount(value: unknown, values: TemplateValues): number {
  if (typeof value === 'number') {
    if (Number.isInteger(value) && value >= 1) return value;
    throw new TemplateError('template.invalid_repeat', 'Command template repeat must be a positive integer.');
  }
  const text = typeof value === 'string' ? value.trim() : '';
  if (/^\d+$/.test(text)) return Number(text);
  const [, braced, bare] = listLengthPattern.exec(text) ?? [];
  const list = braced ?? bare;
  if (list === undefined) {
    throw new TemplateError('template.invalid_repeat', 'Command template repeat must be a positive integer or {array.length}.');
  }
  const items = values.read(list);
  if (Array.isArray(items)) return items.length;
  throw new TemplateError('template.invalid_repeat', 'Command template repeat could not be resolved.');
}

/**
 * Builds the values of one round of a repetition: index, prev, next and repeat. Each underscore before a name pads by one digit.
 */
export function buildRoundValues(index: number, repeat: number): Record<string, string> {
  const counts = { index, prev: (index - 1 + repeat) % repeat, next: (index + 1) % repeat, repeat };
  const padded = Object.entries(counts).flatMap(([name, count]) =>
    [0, 1, 2, 3].map((width) => [`${'_'.repeat(width)}${name}`, String(count).padStart(width + 1, '0')]),
  );
  return Object.fromEntries(padded);
}

/**
 * Evaluates `when` like the reference implementation: a string that is not a condition is false, and a bare word is the name of a
 * value.
 */
export function shouldRunCompat(when: unknown, values: TemplateValues): boolean {
  if (when === undefined || typeof when === 'boolean') return when !== false;
  if (typeof when !== 'string') throw new TemplateError('template.invalid_when', 'value.trim is not a function');
  return evaluateCondition(when.trim(), values) ?? false;
}

/**
 * Evaluates `when` strictly: "true" and "false" are booleans unless values have these names, and a string that is not a condition
 * is an error.
 */
export function shouldRun(when: unknown, values: TemplateValues): boolean {
  if (when === undefined || typeof when === 'boolean') return when !== false;
  const text = typeof when === 'string' ? when.trim() : '';
  if ((text === 'true' || text === 'false') && !values.has(text)) return text === 'true';
  const result = text === '' ? undefined : evaluateCondition(text, values);
  if (result !== undefined) return result;
  const message = `Command template when cannot be ${JSON.stringify(when)}. Write true, false, a name, !name, or one {placeholder}.`;
  throw new TemplateError('template.invalid_when', message);
}

function evaluateCondition(text: string, values: TemplateValues): boolean | undefined {
  const [, not, flag] = /^(!?)([A-Za-z_][A-Za-z0-9_-]*)$/.exec(text) ?? [];
  if (flag !== undefined) return isTruthy(values.peek(flag)) !== (not === '!');
  if (!/^\{[^{}]+\}$/.test(text)) return undefined;
  try {
    return isTruthy(substitute(text, { values }));
  } catch (thrown) {
    // A flag without a value is false.
    if (thrown instanceof TemplateError) return false;
    throw thrown;
  }
}
