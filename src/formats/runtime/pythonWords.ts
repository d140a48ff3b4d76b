// Words that are no names.
import type { Expression, Spelling } from './pythonExpression.js';

export const words: ReadonlySet<string> = new Set(
  'and,or,not,in,is,if,else,lambda,import,for,while,def,class,yield,await,async,del,with,exec,eval'.split(','),
);

const ofPython: [string, unknown][] = [
  ['True', true],
  ['False', false],
  ['None', null],
];
const ofJinja: [string, unknown][] = ofPython.map(([name, value]) => [name.toLowerCase(), value]);
export const constants: Record<Spelling, ReadonlyMap<string, unknown>> = {
  python: new Map(ofPython),
  template: new Map([...ofPython, ...ofJinja]),
};
/** Who writes these does not mean a value of the state. */
export const foreign: ReadonlySet<string> = new Set(['true', 'false', 'none', 'null', '...']);

export function isConstant(expression: Expression): boolean {
  return expression.is === 'value' && (expression.value === null || typeof expression.value === 'boolean');
}
