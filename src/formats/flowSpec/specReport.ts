// Collects the findings of a flow-spec at their positions in the document.
import type * as z from 'zod';
import { didYouMean } from '../../document/didYouMean.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import { readKeys } from '../../engine/jsonPath.js';
import { existingKeys } from '../modern/problemReporter.js';
import { assertionModel, flowSpecModel, stepModel } from './model.js';

type SpecProblem = { code: string; at: readonly (string | number)[]; message: string; hint?: string | undefined };

export class SpecReport {
  readonly findings: Finding[] = [];

  constructor(readonly document: Document) {}

  refuse(problem: SpecProblem): void {
    this.add(problem, 'error');
  }

  warn(problem: SpecProblem): void {
    this.add(problem, 'warning');
  }

  private add({ code, at, message, hint }: SpecProblem, severity: Finding['severity']): void {
    const keys = at.map(String);
    const place = this.document.place(joinPointer('', ...existingKeys(this.document.value, keys)));
    const path = joinPointer('', ...keys);
    this.findings.push({ code: `flow_spec.${code}`, severity, path, place, message, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Formats a path like "steps[3].selector", as the messages of the format's own validator do. */
export function formatPath(at: readonly PropertyKey[]): string {
  let text = '';
  for (const key of at) text += typeof key === 'number' ? `[${key}]` : `${text === '' ? '' : '.'}${String(key)}`;
  return text;
}

/** Converts errors of the schema to findings with messages for users. */
export function reportSchemaIssues(report: SpecReport, issues: readonly z.core.$ZodIssue[]): void {
  for (const issue of issues) for (const problem of toProblems(report.document.value, issue)) report.refuse(problem);
}

function toProblems(document: unknown, issue: z.core.$ZodIssue): SpecProblem[] {
  const at = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => toUnknownFieldProblem(document, at, key));
  const read = readKeys(document, at.map(String));
  if (issue.code === 'invalid_union') return [toUnknownKindProblem(document, at)];
  const where = formatPath(at) || 'the document';
  const isMissing = !read.found;
  if (at[0] === 'spec_version' && at.length === 1) return [toVersionProblem(read.found ? read.value : undefined)];
  if (isMissing)
    return [{ code: 'missing_field', at, message: `${where} is required`, hint: `Add ${JSON.stringify(at.at(-1))}.` }];
  return [{ code: 'invalid_value', at, message: `${where}: ${issue.message}, but it is ${formatValue(read.value)}` }];
}

function toVersionProblem(value: unknown): SpecProblem {
  const message =
    value === undefined ? 'spec_version is required' : `spec_version: "1" was expected, but it is ${formatValue(value)}`;
  return {
    code: 'unsupported_version',
    at: ['spec_version'],
    message,
    hint: 'Set "spec_version": "1". No other version is supported.',
  };
}

function toUnknownFieldProblem(document: unknown, at: SpecProblem['at'], key: string): SpecProblem {
  const known = listFields(document, at);
  const message = `${formatPath([...at, key])}: unknown field ${JSON.stringify(key)}`;
  return { code: 'unknown_field', at: [...at, key], message, hint: didYouMean(key, known) };
}

/** Describes an unknown kind of step, expect or assertion. The last key of `path` is the field with the kind. */
function toUnknownKindProblem(document: unknown, path: SpecProblem['at']): SpecProblem {
  const at = path.slice(0, -1);
  const key = path.at(-1) === 'kind' ? 'kind' : 'type';
  const read = readKeys(document, path.map(String));
  const known = listKinds(at, key);
  const where = formatPath(at);
  if (!read.found)
    return { code: 'missing_field', at: path, message: `${where}.${key} is required`, hint: didYouMean('', known) };
  const message = `${where}: unknown ${key} ${formatValue(read.value)}`;
  return { code: 'unknown_type', at: path, message, hint: didYouMean(String(read.value), known) };
}

type ObjectModel = { shape: Record<string, unknown> };

function listKinds(at: SpecProblem['at'], key: 'type' | 'kind'): string[] {
  const models = at[0] === 'assertions' ? listObjectModels(assertionModel) : listObjectModels(stepModel);
  const values = models.flatMap(({ shape }) => {
    const { values: literals } = (shape[key] ?? {}) as { values?: Set<string> };
    return [...(literals ?? [])];
  });
  return [...new Set(values)];
}

function listFields(document: unknown, at: SpecProblem['at']): string[] {
  if (at.length === 0) return Object.keys(flowSpecModel.shape);
  const item = readKeys(document, at.map(String));
  const fields = (item.found ? item.value : {}) as Record<string, unknown>;
  const models = at[0] === 'assertions' ? listObjectModels(assertionModel) : listObjectModels(stepModel);
  const own = models.find(({ shape }) => ['type', 'kind'].every((key) => !shape[key] || isLiteralValue(shape[key], fields[key])));
  return Object.keys(own?.shape ?? {});
}

function isLiteralValue(literal: unknown, value: unknown): boolean {
  return (literal as { values?: Set<unknown> }).values?.has(value) === true;
}

/** Lists the object models of a union and of its nested unions. */
function listObjectModels(union: { options: readonly unknown[] }): ObjectModel[] {
  return union.options.flatMap((option) => {
    const inner = option as Partial<ObjectModel> & { options?: readonly unknown[] };
    return inner.options ? listObjectModels({ options: inner.options }) : [inner as ObjectModel];
  });
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}… (${text.length} characters)` : text;
}
