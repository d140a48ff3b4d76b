// What a model refuses of a document, as findings with the protocol reference's codes where it has one.
import type { z } from 'zod';
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { readKeys } from '../../engine/jsonPath.js';
import { fieldProblem } from '../../formats/classic/shapeFindings.js';

/** A hint says what to do next where the shape alone does not tell it; it may depend on the name of the field. */
export type FindingCodes = readonly (readonly [path: RegExp, code: string, hint?: string | ((name: string) => string)])[];

export type RefusedDocument = {
  value: unknown;
  error: z.ZodError;
  /** The first pattern that fits a dotted path gives the code; the last one should fit all. */
  codes: FindingCodes;
  place(pointer: string): Place;
};

export function toModelFindings({ value, error, codes, place }: RefusedDocument): Finding[] {
  return error.issues
    .flatMap((issue) => flattenIssue(issue, []))
    .map((issue) => {
      const { keys, message, unknown } = issue;
      const path = joinPointer('', ...keys);
      const missing = keys.length > 0 && !readKeys(value, keys).found;
      const at = place(missing ? joinPointer('', ...keys.slice(0, -1)) : path);
      const text = unknown ? `There is no field ${JSON.stringify(keys.at(-1))} here.` : describeIssue(keys, message, value);
      const [code, ownHint] = findCode(codes, keys, unknown);
      const hint = ownHint ?? hintForIssue(issue, missing);
      return { code, severity: 'error', path, place: at, message: text, ...(hint === undefined ? {} : { hint }) };
    });
}

type FlatIssue = { keys: string[]; message: string; unknown: boolean; expected?: string | undefined };

// Of the ways a value could have been meant, the one that got furthest is what the author had in mind.
function flattenIssue(issue: z.core.$ZodIssue, base: readonly string[]): FlatIssue[] {
  const keys = [...base, ...issue.path.map(String)];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ keys: [...keys, key], message: issue.message, unknown: true }));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const ways = issue.errors.map((errors) => errors.flatMap((inner) => flattenIssue(inner, keys)));
    const reach = (way: FlatIssue[]): number => Math.min(...way.map((inner) => inner.keys.length));
    const best = ways.reduce((one, other) => (reach(other) > reach(one) ? other : one));
    if (reach(best) > keys.length) return best;
  }
  return [{ keys, message: issue.message, unknown: false, expected: describeExpected(issue) }];
}

// A dot inside a key must not look like a step into it.
function findCode(codes: FindingCodes, keys: readonly string[], unknown: boolean): [code: string, hint?: string] {
  const path = keys.map((key) => key.replaceAll('.', '_')).join('.') + (unknown ? '?' : '');
  const [, code = '', hint] = codes.find(([pattern]) => pattern.test(path)) ?? [];
  if (hint === undefined) return [code];
  return [code, typeof hint === 'string' ? hint : hint(keys.at(-1) ?? '')];
}

function hintForIssue({ keys, unknown, expected }: FlatIssue, missing: boolean): string | undefined {
  if (unknown) return 'Take it out.';
  if (expected === undefined) return undefined;
  return missing ? `Add ${JSON.stringify(keys.at(-1))}: ${expected}.` : `Write ${expected}.`;
}

function describeIssue(keys: readonly string[], message: string, value: unknown): string {
  const name = JSON.stringify(keys.at(-1) ?? 'The document');
  const read = readKeys(value, keys);
  if (!read.found && keys.length > 0) return `${name} is required here: ${message.replace(/^Invalid input: /, '')}.`;
  const shown = read.found ? JSON.stringify(read.value) : '';
  const seen = shown.length > 0 && shown.length <= 60 ? `, but it is ${shown}` : '';
  return `${name}: ${message.replace(/^Invalid input: /, '').replace(/, received .*$/, '')}${seen}.`;
}

// What a model expected, in words an author can follow.

const kindWords: Readonly<Record<string, string>> = {
  array: 'a list, [ … ]',
  object: 'an object, { … }',
  record: 'an object, { … }',
  string: 'a text, "…"',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** Undefined where the message of the issue says it all. */
export function describeExpected(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_type') return kindWords[issue.expected];
  if (issue.code === 'invalid_value') return joinAlternatives(issue.values.map((value) => JSON.stringify(value)));
  if (issue.code === 'invalid_union') return 'a text that is not empty';
  if (issue.code !== 'too_small') return undefined;
  if (issue.origin === 'string') return 'a text that is not empty';
  if (issue.origin === 'array') return 'at least one entry';
  return issue.inclusive ? `a number from ${issue.minimum} up` : `a number above ${issue.minimum}`;
}

function joinAlternatives(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

// A field of a document in another spelling than the protocol's (spec §2: casing is part of it).

export type FieldCasing = { meant: string; message: string; hint: string };

export function findFieldCasing(name: string, known: readonly string[]): FieldCasing | undefined {
  if (known.includes(name)) return undefined;
  const { code, message } = fieldProblem(name, known);
  const meant =
    code === 'recipe.field_casing' ? known.find((field) => normalizeField(field) === normalizeField(name)) : undefined;
  return meant === undefined ? undefined : { meant, message, hint: `Did you mean ${JSON.stringify(meant)}?` };
}

function normalizeField(field: string): string {
  return field.replaceAll(/[_-]/g, '').toLowerCase();
}
