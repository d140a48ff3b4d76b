// Turns the issues of a zod model into findings. A finding has the code of the protocol's reference implementation if that has one.

import type { z } from 'zod';
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { readKeys } from '../../engine/jsonPath.js';
import { fieldProblem } from '../../formats/classic/shapeFindings.js';

/** The hint is for issues whose solution does not follow from the model. A hint may depend on the name of the field. */
export type FindingCodes = readonly (readonly [path: RegExp, code: string, hint?: string | ((name: string) => string)])[];

export type RefusedDocument = {
  value: unknown;
  error: z.ZodError;
  /** The first pattern that matches the dotted path decides the code. The last pattern should match every path. */
  codes: FindingCodes;
  place(pointer: string): Place;
};

export function toModelFindings({ value, error, codes, place }: RefusedDocument): Finding[] {
  return error.issues
    .flatMap((issue) => flattenIssue(issue, []))
    .map((issue) => {
      const { keys, message, unknown } = issue;
      const path = joinPointer('', ...keys);
      const isMissing = keys.length > 0 && !readKeys(value, keys).found;
      const [code, codeHint] = findCode(codes, keys, unknown);
      return {
        code,
        severity: 'error',
        path,
        place: place(isMissing ? joinPointer('', ...keys.slice(0, -1)) : path),
        message: unknown ? `There is no field ${JSON.stringify(keys.at(-1))} here.` : describeIssue(keys, message, value),
        ...omitUndefined({ hint: codeHint ?? hintForIssue(issue, isMissing) }),
      };
    });
}

type FlatIssue = { keys: string[]; message: string; unknown: boolean; expected?: string | undefined };

// Of the branches of a union, the author probably meant the one whose issues are deepest in the value.
function flattenIssue(issue: z.core.$ZodIssue, base: readonly string[]): FlatIssue[] {
  const keys = [...base, ...issue.path.map(String)];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ keys: [...keys, key], message: issue.message, unknown: true }));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branches = issue.errors.map((errors) => errors.flatMap((inner) => flattenIssue(inner, keys)));
    const reach = (branch: FlatIssue[]): number => Math.min(...branch.map((inner) => inner.keys.length));
    const best = branches.reduce((deepest, branch) => (reach(branch) > reach(deepest) ? branch : deepest));
    if (reach(best) > keys.length) return best;
  }
  return [{ keys, message: issue.message, unknown: false, expected: describeExpected(issue) }];
}

// A dot inside a key must not look like a separator.
function findCode(codes: FindingCodes, keys: readonly string[], unknown: boolean): [code: string, hint?: string] {
  const path = keys.map((key) => key.replaceAll('.', '_')).join('.') + (unknown ? '?' : '');
  const [, code = '', hint] = codes.find(([pattern]) => pattern.test(path)) ?? [];
  if (hint === undefined) return [code];
  return [code, typeof hint === 'string' ? hint : hint(keys.at(-1) ?? '')];
}

function hintForIssue({ keys, unknown, expected }: FlatIssue, isMissing: boolean): string | undefined {
  if (unknown) return 'Remove the field.';
  if (expected === undefined) return undefined;
  return isMissing ? `Add ${JSON.stringify(keys.at(-1))}: ${expected}.` : `Write ${expected}.`;
}

function describeIssue(keys: readonly string[], message: string, value: unknown): string {
  const name = JSON.stringify(keys.at(-1) ?? 'The document');
  const read = readKeys(value, keys);
  if (!read.found && keys.length > 0) return `${name} is required here: ${message.replace(/^Invalid input: /, '')}.`;
  const received = read.found ? JSON.stringify(read.value) : '';
  const suffix = received.length > 0 && received.length <= 60 ? `, but it is ${received}` : '';
  return `${name}: ${message.replace(/^Invalid input: /, '').replace(/, received .*$/, '')}${suffix}.`;
}

const kindWords: Readonly<Record<string, string>> = {
  array: 'a list, [ … ]',
  object: 'an object, { … }',
  record: 'an object, { … }',
  string: 'a string, "…"',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** Describes the value that the model expects. Returns undefined when the message of the issue already describes the value. */
function describeExpected(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_type') return kindWords[issue.expected];
  if (issue.code === 'invalid_value') return joinAlternatives(issue.values.map((value) => JSON.stringify(value)));
  if (issue.code === 'invalid_union') return 'a string that is not empty';
  if (issue.code !== 'too_small') return undefined;
  if (issue.origin === 'string') return 'a string that is not empty';
  if (issue.origin === 'array') return 'at least one entry';
  return issue.inclusive ? `a number of at least ${issue.minimum}` : `a number above ${issue.minimum}`;
}

function joinAlternatives(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

type FieldCasing = { correctName: string; message: string; hint: string };

/** Finds the field of the protocol that differs from `name` only in its casing (spec §2: casing is part of the protocol). */
export function findFieldCasing(name: string, known: readonly string[]): FieldCasing | undefined {
  if (known.includes(name)) return undefined;
  const { code, message } = fieldProblem(name, known);
  const correctName =
    code === 'recipe.field_casing' ? known.find((field) => normalizeField(field) === normalizeField(name)) : undefined;
  return correctName === undefined ? undefined : { correctName, message, hint: `Did you mean ${JSON.stringify(correctName)}?` };
}

function normalizeField(field: string): string {
  return field.replaceAll(/[_-]/g, '').toLowerCase();
}
