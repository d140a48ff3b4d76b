// Whether an edge fires: an equal text, a template in braces, or a small part of Python's expressions.
import { evaluatePython, MissingValue } from './python/evaluatePython.js';
import { EvaluationError } from './python/operations.js';
import { isLiteral, NotExpression, type PythonExpression, parsePython, type Spelling } from './python/parsePython.js';
import { isTruthy, pythonStr } from './python/values.js';
import { findName, type RuntimeValues } from './runtimeValues.js';

type Condition =
  | { is: 'always' }
  /** Texts and the expressions between them; one that cannot be read makes it never true, as in the reference. */
  | { is: 'template'; parts: readonly (string | PythonExpression)[] | undefined }
  | { is: 'text'; text: string; expression?: PythonExpression };

/** @throws NotAllowed for code that is not understood here */
export function readCondition(text: string | null): Condition {
  if (text === null || text === '') return { is: 'always' };
  if (text.includes('{{') && text.includes('}}')) return { is: 'template', parts: readTemplate(text) };
  const expression = tryParse(text);
  return expression ? { is: 'text', text, expression } : { is: 'text', text };
}

function readTemplate(text: string): (string | PythonExpression)[] | undefined {
  const parts = splitTemplate(text).map((piece, index) => (index % 2 === 0 ? piece : tryParse(piece, 'template')));
  return parts.includes(undefined) ? undefined : (parts as (string | PythonExpression)[]);
}

/** Texts and, between them, what stands in braces. Not by a pattern, which would look for the end of every opening brace anew. */
function splitTemplate(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (;;) {
    const opens = text.indexOf('{{', from);
    const closes = opens === -1 ? -1 : text.indexOf('}}', opens + 2);
    if (closes === -1) return [...pieces, text.slice(from)];
    pieces.push(text.slice(from, opens), text.slice(opens + 2, closes));
    from = closes + 2;
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
  if (condition.is === 'always') return true;
  if (condition.is === 'template') return condition.parts !== undefined && rendersTrue(condition.parts, values);
  const { text, expression } = condition;
  if (outputTexts(values.output).includes(text)) return true;
  if (!expression || isLiteral(expression)) return false;
  const value = evaluateIfPossible(expression, values);
  // A single word is meant to be compared, unless the state knows it as a fact.
  return expression.is === 'name' ? value === true : value !== undefined && isTruthy(value);
}

/** The output of a node as text; an object may have a `content` that is meant. */
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

/** Undefined for what is not there or cannot be compared: such an edge does not fire. */
function evaluateIfPossible(expression: PythonExpression, values: RuntimeValues): unknown {
  try {
    return evaluatePython(expression, (name) => findName(values, name));
  } catch (thrown) {
    if (thrown instanceof MissingValue || thrown instanceof EvaluationError) return undefined;
    throw thrown;
  }
}
