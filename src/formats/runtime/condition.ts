// Reads and evaluates the condition of an edge: a string to compare, a template in braces, or an expression in a subset of
// Python.
import { evaluatePython, MissingValue } from './python/evaluatePython.js';
import { EvaluationError } from './python/operations.js';
import { isLiteral, NotExpression, type PythonExpression, parsePython, type Spelling } from './python/parsePython.js';
import { isTruthy, pythonStr } from './python/values.js';
import { findName, type RuntimeValues } from './runtimeValues.js';

type Condition =
  | { kind: 'always' }
  /**
   * Texts and expressions, alternating. Undefined when an expression is invalid: then the edge never fires, as in the reference
   * implementation.
   */
  | { kind: 'template'; parts: readonly (string | PythonExpression)[] | undefined }
  | { kind: 'text'; text: string; expression?: PythonExpression };

/** @throws UnsupportedExpression for code outside the supported subset */
export function readCondition(text: string | null): Condition {
  if (text === null || text === '') return { kind: 'always' };
  if (text.includes('{{') && text.includes('}}')) return { kind: 'template', parts: readTemplate(text) };
  const expression = tryParse(text);
  return expression ? { kind: 'text', text, expression } : { kind: 'text', text };
}

function readTemplate(text: string): (string | PythonExpression)[] | undefined {
  const parts = splitTemplate(text).map((piece, index) => (index % 2 === 0 ? piece : tryParse(piece, 'template')));
  return parts.includes(undefined) ? undefined : (parts as (string | PythonExpression)[]);
}

/**
 * Splits a template into strings and expressions, alternating. A regular expression could take quadratic time on many open
 * braces.
 */
function splitTemplate(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (;;) {
    const open = text.indexOf('{{', start);
    const close = open === -1 ? -1 : text.indexOf('}}', open + 2);
    if (close === -1) return [...pieces, text.slice(start)];
    pieces.push(text.slice(start, open), text.slice(open + 2, close));
    start = close + 2;
  }
}

function tryParse(text: string, spelling?: Spelling): PythonExpression | undefined {
  try {
    return parsePython(text, spelling);
  } catch (thrown) {
    if (thrown instanceof NotExpression) return undefined;
    throw thrown;
  }
}

const trueTexts = new Set(['true', '1', 'yes', 'on']);

export function evaluateCondition(condition: Condition, values: RuntimeValues): boolean {
  if (condition.kind === 'always') return true;
  if (condition.kind === 'template') return condition.parts !== undefined && rendersTrue(condition.parts, values);
  const { text, expression } = condition;
  if (outputTexts(values.output).includes(text)) return true;
  if (!expression || isLiteral(expression)) return false;
  const value = evaluateIfPossible(expression, values);
  // A single word is compared with the output, so as a name it only counts when its value is true.
  return expression.kind === 'name' ? value === true : value !== undefined && isTruthy(value);
}

/** Returns the output of a node as a string. For an object with a `content`, also returns the content. */
function outputTexts(output: unknown): string[] {
  if (output === undefined) return ['None'];
  const content = typeof output === 'object' && output !== null ? (output as { content?: unknown }).content : undefined;
  return content === undefined ? [pythonStr(output)] : [pythonStr(output), pythonStr(content)];
}

function rendersTrue(parts: readonly (string | PythonExpression)[], values: RuntimeValues): boolean {
  let text = '';
  for (const part of parts) {
    const value = typeof part === 'string' ? part : evaluateIfPossible(part, values);
    if (value === undefined) return false;
    text += pythonStr(value);
  }
  return trueTexts.has(text.trim().toLowerCase());
}

/** Returns undefined when a value is missing or cannot be compared. Then the edge does not fire. */
function evaluateIfPossible(expression: PythonExpression, values: RuntimeValues): unknown {
  try {
    return evaluatePython(expression, (name) => findName(values, name));
  } catch (thrown) {
    if (thrown instanceof MissingValue || thrown instanceof EvaluationError) return undefined;
    throw thrown;
  }
}
