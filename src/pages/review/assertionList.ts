// Evaluated assertions: what was expected, what was there.
import { describeComparison } from '../../engine/predicate.js';
import { type Html, html } from '../html.js';
import { sayAssertion } from '../sayAssertion.js';
import { inlineValue } from './valueText.js';

type Made = { held: boolean; [field: string]: unknown };

const mostParts = 20;
const states: ReadonlySet<string> = new Set(['present', 'visible', 'hidden', 'absent']);

export function assertionList(made: readonly Made[]): Html {
  return html`<ul class="asserts">${made.map(assertionItem)}</ul>`;
}

function assertionItem(made: Made): Html {
  const sign = made.held ? html`<span class="sign good">✓ held</span>` : html`<span class="sign bad">✗ did not hold</span>`;
  const parts = Array.isArray(made.comparisons) ? (made.comparisons as Made[]) : [];
  if (parts.length > 0)
    return html`<li>${sign} ${text(made.operator)} of ${parts.length}${assertionList(parts.slice(0, mostParts))}</li>`;
  return html`<li>${sign} <span class="subject">${subjectOf(made)}</span>${valuesOf(made)}</li>`;
}

function subjectOf({ operator, path, source, expected }: Made): string {
  // What was waited for is a state, and that it was expected to be true goes without saying.
  if (states.has(text(operator)) && expected === true) return `${text(path)} is ${text(operator)}`;
  const atomic = { operator: text(operator) || 'truthy', path: text(path) || '$', value: expected };
  return sayAssertion(typeof source === 'string' ? { ...atomic, source } : atomic);
}

function valuesOf(made: Made): Html {
  if (typeof made.problem === 'string') return html`<span class="value">${describeComparison(made as never)}</span>`;
  const actual = made.missing === true ? 'missing' : 'actual' in made ? inlineValue(made.actual) : 'not recorded';
  // What held is read less often, and there is much more of it.
  if (made.held) return isSame(made) ? html`` : html` <code>${actual}</code>`;
  const expected = 'expected' in made ? html`<dt>expected</dt><dd>${inlineValue(made.expected)}</dd>` : '';
  return html`<dl class="values">${expected}<dt>actual</dt><dd>${actual}</dd></dl>`;
}

// Said once is enough.
function isSame({ expected, actual }: Made): boolean {
  return expected !== undefined && inlineValue(expected) === inlineValue(actual);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
