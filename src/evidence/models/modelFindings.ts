// What a model refuses of a document, as findings with the protocol reference's codes where it has one.
import type { z } from 'zod';
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { readKeys } from '../../engine/jsonPath.js';
import { expectedBy } from './expectedBy.js';

/** A hint says what to do next where the shape alone does not tell it; it may depend on the name of the field. */
export type Codes = readonly (readonly [path: RegExp, code: string, hint?: string | ((name: string) => string)])[];

export type Refused = {
  value: unknown;
  error: z.ZodError;
  /** The first pattern that fits a dotted path gives the code; the last one should fit all. */
  codes: Codes;
  place(pointer: string): Place;
};

export function modelFindings({ value, error, codes, place }: Refused): Finding[] {
  return error.issues
    .flatMap((issue) => flatten(issue, []))
    .map((issue) => {
      const { keys, message, unknown } = issue;
      const path = joinPointer('', ...keys);
      const missing = keys.length > 0 && !readKeys(value, keys).found;
      const at = place(missing ? joinPointer('', ...keys.slice(0, -1)) : path);
      const said = unknown ? `There is no field ${JSON.stringify(keys.at(-1))} here.` : sentence(keys, message, value);
      const [code, own] = codeOf(codes, keys, unknown);
      const hint = own ?? hintFor(issue, missing);
      return { code, severity: 'error', path, place: at, message: said, ...(hint === undefined ? {} : { hint }) };
    });
}

type Issue = { keys: string[]; message: string; unknown: boolean; expected?: string | undefined };

// Of the ways a value could have been meant, the one that got furthest is what the author had in mind.
function flatten(issue: z.core.$ZodIssue, base: readonly string[]): Issue[] {
  const keys = [...base, ...issue.path.map(String)];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ keys: [...keys, key], message: issue.message, unknown: true }));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const ways = issue.errors.map((errors) => errors.flatMap((inner) => flatten(inner, keys)));
    const reach = (way: Issue[]): number => Math.min(...way.map((inner) => inner.keys.length));
    const best = ways.reduce((one, other) => (reach(other) > reach(one) ? other : one));
    if (reach(best) > keys.length) return best;
  }
  return [{ keys, message: issue.message, unknown: false, expected: expectedBy(issue) }];
}

// A dot inside a key must not look like a step into it.
function codeOf(codes: Codes, keys: readonly string[], unknown: boolean): [code: string, hint?: string] {
  const path = keys.map((key) => key.replaceAll('.', '_')).join('.') + (unknown ? '?' : '');
  const [, code = '', hint] = codes.find(([pattern]) => pattern.test(path)) ?? [];
  if (hint === undefined) return [code];
  return [code, typeof hint === 'string' ? hint : hint(keys.at(-1) ?? '')];
}

function hintFor({ keys, unknown, expected }: Issue, missing: boolean): string | undefined {
  if (unknown) return 'Take it out.';
  if (expected === undefined) return undefined;
  return missing ? `Add ${JSON.stringify(keys.at(-1))}: ${expected}.` : `Write ${expected}.`;
}

function sentence(keys: readonly string[], message: string, value: unknown): string {
  const name = JSON.stringify(keys.at(-1) ?? 'The document');
  const read = readKeys(value, keys);
  if (!read.found && keys.length > 0) return `${name} is required here: ${message.replace(/^Invalid input: /, '')}.`;
  const shown = read.found ? JSON.stringify(read.value) : '';
  const seen = shown.length > 0 && shown.length <= 60 ? `, but it is ${shown}` : '';
  return `${name}: ${message.replace(/^Invalid input: /, '').replace(/, received .*$/, '')}${seen}.`;
}
