// A predicate as a person would say it.
import type { Assertion, Atomic } from '../recipe/recipe.js';

const words: Readonly<Record<string, string>> = {
  exists: 'is there',
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
  length_eq: 'has length',
  length_gt: 'is longer than',
  length_gte: 'has at least length',
  length_lt: 'is shorter than',
  length_lte: 'has at most length',
};

export function sayAssertion(assertion: Assertion): string {
  return say(assertion, false);
}

function say(assertion: Assertion, isInside: boolean): string {
  if ('none' in assertion) return `none of (${assertion.none.map((part) => say(part, false)).join('; ')})`;
  const parts = 'all' in assertion ? assertion.all : 'any' in assertion ? assertion.any : undefined;
  if (!parts) return sayAtomic(assertion as Atomic);
  const joined = parts.map((part) => say(part, parts.length > 1)).join('all' in assertion ? ' and ' : ' or ');
  return isInside && parts.length > 1 ? `(${joined})` : joined;
}

function sayAtomic({ operator = 'truthy', source, path = '$', value, param }: Atomic): string {
  const said = Object.hasOwn(words, operator) ? words[operator] : operator.replaceAll('_', ' ');
  const compared = param === undefined ? shown(value) : `{${param}}`;
  return [subject(source, path), said, compared].filter((part) => part !== '').join(' ');
}

function subject(source: string | undefined, path: string): string {
  const inside = path.replace(/^\$\.?/, '');
  if (source === undefined) return inside === '' ? 'it' : inside;
  return inside === '' ? source : `${source} ${inside}`;
}

const longest = 80;

function shown(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
