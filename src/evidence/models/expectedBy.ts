// What a model expected, in words an author can follow.
import type { z } from 'zod';

const kinds: Readonly<Record<string, string>> = {
  array: 'a list, [ … ]',
  object: 'an object, { … }',
  record: 'an object, { … }',
  string: 'a text, "…"',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** Undefined where the message of the issue says it all. */
export function expectedBy(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_type') return kinds[issue.expected];
  if (issue.code === 'invalid_value') return anyOf(issue.values.map((value) => JSON.stringify(value)));
  if (issue.code === 'invalid_union') return 'a text that is not empty';
  if (issue.code !== 'too_small') return undefined;
  if (issue.origin === 'string') return 'a text that is not empty';
  if (issue.origin === 'array') return 'at least one entry';
  return issue.inclusive ? `a number from ${issue.minimum} up` : `a number above ${issue.minimum}`;
}

function anyOf(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
