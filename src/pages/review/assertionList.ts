// Renders evaluated assertions with their expected and actual values.
import { describeComparison } from '../../engine/evaluateAssertion.js';
import { describeAssertion } from '../describeAssertion.js';
import { type Html, html } from '../html.js';
import { formatInlineValue } from './formatValue.js';

type EvaluatedAssertion = { held: boolean; [field: string]: unknown };

const maxParts = 20;
/** Operators of assertions that wait for a state of an element. */
const stateOperators: ReadonlySet<string> = new Set(['present', 'visible', 'hidden', 'absent']);

export function assertionList(assertions: readonly EvaluatedAssertion[]): Html {
  return html`<ul class="asserts">${assertions.map(assertionItem)}</ul>`;
}

function assertionItem(assertion: EvaluatedAssertion): Html {
  const sign = assertion.held ? html`<span class="sign good">✓ held</span>` : html`<span class="sign bad">✗ did not hold</span>`;
  const parts = Array.isArray(assertion.comparisons) ? (assertion.comparisons as EvaluatedAssertion[]) : [];
  if (parts.length > 0)
    return html`<li>${sign} ${asText(assertion.operator)} of ${parts.length}${assertionList(parts.slice(0, maxParts))}</li>`;
  return html`<li>${sign} <span class="subject">${subjectOf(assertion)}</span>${valuesOf(assertion)}</li>`;
}

function subjectOf({ operator, path, source, expected }: EvaluatedAssertion): string {
  // "button is visible" reads better than "button visible is true".
  if (stateOperators.has(asText(operator)) && expected === true) return `${asText(path)} is ${asText(operator)}`;
  const atomic = { operator: asText(operator) || 'truthy', path: asText(path) || '$', value: expected };
  return describeAssertion(typeof source === 'string' ? { ...atomic, source } : atomic);
}

function valuesOf(assertion: EvaluatedAssertion): Html {
  if (typeof assertion.problem === 'string') return html`<span class="value">${describeComparison(assertion as never)}</span>`;
  const actual =
    assertion.missing === true ? 'missing' : 'actual' in assertion ? formatInlineValue(assertion.actual) : 'not recorded';
  // Most assertions hold, and reviewers rarely read their values, so they take only one line.
  if (assertion.held) return isEqual(assertion) ? html`` : html` <code>${actual}</code>`;
  const expected = 'expected' in assertion ? html`<dt>expected</dt><dd>${formatInlineValue(assertion.expected)}</dd>` : '';
  return html`<dl class="values">${expected}<dt>actual</dt><dd>${actual}</dd></dl>`;
}

function isEqual({ expected, actual }: EvaluatedAssertion): boolean {
  return expected !== undefined && formatInlineValue(expected) === formatInlineValue(actual);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
