// Describes an assertion as a phrase, such as "total is more than 3".
import type { Assertion, Atomic } from '../recipe/recipe.js';

const operatorTexts: Readonly<Record<string, string>> = {
  exists: 'is present',
  not_null: 'is not null',
  truthy: 'is set',
  falsy: 'is not set',
  eq: 'is',
  neq: 'is not',
  deep_eq: 'is',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'has',
  not_contains: 'does not have',
  matches: 'matches',
  one_of: 'is one of',
  length_eq: 'has a length of',
  length_gt: 'is longer than',
  length_gte: 'has a length of at least',
  length_lt: 'is shorter than',
  length_lte: 'has a length of at most',
};

export function describeAssertion(assertion: Assertion): string {
  return describePart(assertion, false);
}

function describePart(assertion: Assertion, isNested: boolean): string {
  if ('none' in assertion) return `none of (${assertion.none.map((part) => describePart(part, false)).join('; ')})`;
  const parts = 'all' in assertion ? assertion.all : 'any' in assertion ? assertion.any : undefined;
  if (!parts) return describeAtomic(assertion as Atomic);
  const joined = parts.map((part) => describePart(part, parts.length > 1)).join('all' in assertion ? ' and ' : ' or ');
  return isNested && parts.length > 1 ? `(${joined})` : joined;
}

function describeAtomic({ operator = 'truthy', source, path = '$', value, param }: Atomic): string {
  const operatorText = Object.hasOwn(operatorTexts, operator) ? operatorTexts[operator] : operator.replaceAll('_', ' ');
  const operand = param === undefined ? formatOperand(value) : `{${param}}`;
  return [describeSubject(source, path), operatorText, operand].filter((part) => part !== '').join(' ');
}

function describeSubject(source: string | undefined, path: string): string {
  const name = path.replace(/^\$\.?/, '');
  if (source === undefined) return name === '' ? 'it' : name;
  return name === '' ? source : `${source} ${name}`;
}

const maxOperandLength = 80;

function formatOperand(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value);
  return text.length > maxOperandLength ? `${text.slice(0, maxOperandLength)}…` : text;
}
