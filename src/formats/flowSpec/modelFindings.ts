// What the model refuses, as findings with words that can be shown as they are.
import type * as z from 'zod';
import { didYouMean } from '../../document/didYouMean.js';
import { readKeys } from '../../engine/jsonPath.js';
import { assertionModel, flowSpecModel, stepModel } from './model.js';
import { inWords, type Problem, type Report } from './report.js';

export function reportIssues(report: Report, issues: readonly z.core.$ZodIssue[]): void {
  for (const issue of issues) for (const problem of problemsOf(report.document.value, issue)) report.refuse(problem);
}

function problemsOf(document: unknown, issue: z.core.$ZodIssue): Problem[] {
  const at = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(document, at, key));
  const given = readKeys(document, at.map(String));
  if (issue.code === 'invalid_union') return [unknownKind(document, at)];
  const named = inWords(at) || 'the document';
  const isMissing = !given.found;
  if (at[0] === 'spec_version' && at.length === 1) return [version(given.found ? given.value : undefined)];
  if (isMissing)
    return [{ code: 'missing_field', at, message: `${named} is required`, hint: `Add ${JSON.stringify(at.at(-1))}.` }];
  return [{ code: 'invalid_value', at, message: `${named}: ${issue.message}, but it is ${shown(given.value)}` }];
}

function version(given: unknown): Problem {
  const message = given === undefined ? 'spec_version is required' : `spec_version: "1" was expected, but it is ${shown(given)}`;
  return {
    code: 'unsupported_version',
    at: ['spec_version'],
    message,
    hint: 'Write "spec_version": "1"; no other version is known.',
  };
}

function unknownField(document: unknown, at: Problem['at'], key: string): Problem {
  const known = fieldsAt(document, at);
  const message = `${inWords([...at, key])}: unknown field ${JSON.stringify(key)}`;
  return { code: 'unknown_field', at: [...at, key], message, hint: didYouMean(key, known) };
}

/** A step, an expect or an assertion of a kind that there is not; `path` ends with the field that names the kind. */
function unknownKind(document: unknown, path: Problem['at']): Problem {
  const at = path.slice(0, -1);
  const key = path.at(-1) === 'kind' ? 'kind' : 'type';
  const given = readKeys(document, path.map(String));
  const known = kindsAt(at, key);
  const where = inWords(at);
  if (!given.found)
    return { code: 'missing_field', at: path, message: `${where}.${key} is required`, hint: didYouMean('', known) };
  const message = `${where}: unknown ${key} ${shown(given.value)}`;
  return { code: 'unknown_type', at: path, message, hint: didYouMean(String(given.value), known) };
}

type Shaped = { shape: Record<string, unknown> };

function kindsAt(at: Problem['at'], key: 'type' | 'kind'): string[] {
  const models = at[0] === 'assertions' ? shapesIn(assertionModel) : shapesIn(stepModel);
  const values = models.flatMap(({ shape }) => {
    const { values: literals } = (shape[key] ?? {}) as { values?: Set<string> };
    return [...(literals ?? [])];
  });
  return [...new Set(values)];
}

function fieldsAt(document: unknown, at: Problem['at']): string[] {
  if (at.length === 0) return Object.keys(flowSpecModel.shape);
  const item = readKeys(document, at.map(String));
  const given = (item.found ? item.value : {}) as Record<string, unknown>;
  const models = at[0] === 'assertions' ? shapesIn(assertionModel) : shapesIn(stepModel);
  const own = models.find(({ shape }) => ['type', 'kind'].every((key) => !shape[key] || isValue(shape[key], given[key])));
  return Object.keys(own?.shape ?? {});
}

function isValue(literal: unknown, given: unknown): boolean {
  return (literal as { values?: Set<unknown> }).values?.has(given) === true;
}

/** The objects of a union, those of unions inside of it among them. */
function shapesIn(union: { options: readonly unknown[] }): Shaped[] {
  return union.options.flatMap((option) => {
    const inner = option as Partial<Shaped> & { options?: readonly unknown[] };
    return inner.options ? shapesIn({ options: inner.options }) : [inner as Shaped];
  });
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}… (${text.length} characters)` : text;
}
