// A small part of Python's expressions as a tree: comparisons, logic, sums, look-ups and a few harmless calls. Nothing is ever run as code.
import { Parser } from './pythonParser.js';
import { NotAllowed, NotExpression, tokensOf } from './pythonTokens.js';

export type Expression =
  | { is: 'value'; value: unknown }
  | { is: 'name'; name: string }
  | { is: 'list'; items: readonly Expression[]; tuple?: true }
  | { is: 'member'; of: Expression; key: Expression; dotted?: true }
  | { is: 'call'; name: string; of?: Expression; args: readonly Expression[] }
  | { is: 'not' | 'minus'; of: Expression }
  | { is: 'and' | 'or'; left: Expression; right: Expression }
  | { is: 'sum'; sign: string; left: Expression; right: Expression }
  | { is: 'compare'; first: Expression; rest: readonly { sign: string; right: Expression }[] }
  | { is: 'choice'; when: Expression; yes: Expression; no: Expression };

/** `template`: what stands in braces has the constants of Jinja as well. */
export type Spelling = 'python' | 'template';

/** @throws NotAllowed for what looks like other code, NotExpression for what looks like none */
export function parseExpression(text: string, spelling: Spelling = 'python'): Expression {
  try {
    return new Parser(tokensOf(text), spelling).whole();
  } catch (thrown) {
    if (thrown instanceof NotExpression && codeLike.test(text)) throw new NotAllowed(thrown.message);
    throw thrown;
  }
}

const codeLike =
  /__|[()[\]{};=`&|^~@]|\*\*|<<|>>|^\s*(import|from|lambda|def|class|exec|eval|del|raise|yield|await|async|global|with)\b|\blambda\b|\\\n/;

/** It names nothing, asks nothing and calls nothing: 5, 'x', [1, 2], 1/2, 2024-10-15. */
export function isLiteral(expression: Expression): boolean {
  if (expression.is === 'list') return expression.items.every(isLiteral);
  if (expression.is === 'minus') return isLiteral(expression.of);
  return expression.is === 'sum' ? isLiteral(expression.left) && isLiteral(expression.right) : expression.is === 'value';
}
