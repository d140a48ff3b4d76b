// Whether an edge fires: an equal text, a template in braces, or a small part of Python's expressions.
import { evaluateExpression, Missing } from './evaluateExpression.js';
import { type Expression, isLiteral, parseExpression, type Spelling } from './pythonExpression.js';
import { Incomparable } from './pythonSums.js';
import { NotExpression } from './pythonTokens.js';
import { isTrue, textOf } from './pythonValue.js';
import { findName, type RuntimeValues } from './values.js';

export type Condition =
  | { is: 'always' }
  /** Texts and the expressions between them; one that cannot be read makes it never true, as in the reference. */
  | { is: 'template'; parts: readonly (string | Expression)[] | undefined }
  | { is: 'text'; text: string; expression?: Expression };

/** @throws NotAllowed for code that is not understood here */
export function readCondition(text: string | null): Condition {
  if (text === null || text === '') return { is: 'always' };
  if (text.includes('{{') && text.includes('}}')) return { is: 'template', parts: templateParts(text) };
  const expression = parsed(text);
  return expression ? { is: 'text', text, expression } : { is: 'text', text };
}

function templateParts(text: string): (string | Expression)[] | undefined {
  const parts = piecesOf(text).map((piece, index) => (index % 2 === 0 ? piece : parsed(piece, 'template')));
  return parts.includes(undefined) ? undefined : (parts as (string | Expression)[]);
}

/** Texts and, between them, what stands in braces. Not by a pattern, which would look for the end of every opening brace anew. */
function piecesOf(text: string): string[] {
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

function parsed(text: string, spelling?: Spelling): Expression | undefined {
  try {
    return parseExpression(text, spelling);
  } catch (thrown) {
    if (thrown instanceof NotExpression) return undefined;
    throw thrown;
  }
}

const yes = new Set(['true', '1', 'yes', 'on']);

export function holds(condition: Condition, values: RuntimeValues): boolean {
  if (condition.is === 'always') return true;
  if (condition.is === 'template') return condition.parts !== undefined && rendersYes(condition.parts, values);
  const { text, expression } = condition;
  if (textsOf(values.output).includes(text)) return true;
  if (!expression || isLiteral(expression)) return false;
  const value = quietly(expression, values);
  // A single word is meant to be compared, unless the state knows it as a fact.
  return expression.is === 'name' ? value === true : value !== undefined && isTrue(value);
}

/** The output of a node as text; an object may have a `content` that is meant. */
function textsOf(output: unknown): string[] {
  if (output === undefined) return ['None'];
  const content = typeof output === 'object' && output !== null ? (output as { content?: unknown }).content : undefined;
  return content === undefined ? [textOf(output)] : [textOf(output), textOf(content)];
}

function rendersYes(parts: readonly (string | Expression)[], values: RuntimeValues): boolean {
  let text = '';
  for (const part of parts) {
    const value = typeof part === 'string' ? part : quietly(part, values);
    if (value === undefined) return false;
    text += textOf(value);
  }
  return yes.has(text.trim().toLowerCase());
}

/** Undefined for what is not there or cannot be compared: such an edge does not fire. */
function quietly(expression: Expression, values: RuntimeValues): unknown {
  try {
    return evaluateExpression(expression, (name) => findName(values, name));
  } catch (thrown) {
    if (thrown instanceof Missing || thrown instanceof Incomparable) return undefined;
    throw thrown;
  }
}
