// An evaluated assertion as evidence: one entry per assertion, whatever it is made of.
import type { Comparison, Evaluation } from '../engine/evaluateAssertion.js';
import { describeComparison } from '../engine/evaluateAssertion.js';
import type { Assertion } from '../recipe/recipe.js';
import type { Assert } from './journal.js';

export function toAssertEntry(assertion: Assertion, { held, comparisons }: Evaluation, proofTarget?: string): Assert {
  const shown = comparisons.map(shortenComparison);
  const [only] = shown;
  const target = proofTarget === undefined ? {} : { proofTarget };
  const compound = ['all', 'any', 'none'].find((key) => key in assertion);
  if (compound === undefined && only) return { ...only, ...target };
  return { operator: compound ?? 'truthy', path: '$', held, comparisons: shown, ...target };
}

const maxTextLength = 4_000;

// What was looked at is kept where it was made; here its two ends are enough to see what is meant.
function shortenComparison(comparison: Comparison): Comparison {
  const { actual } = comparison;
  if (typeof actual !== 'string' || actual.length <= maxTextLength) return comparison;
  const half = maxTextLength / 2;
  const left = actual.length - maxTextLength;
  return { ...comparison, actual: `${actual.slice(0, half)}\n… ${left} characters left out …\n${actual.slice(-half)}` };
}

/** The sentence for an assertion that did not hold. */
export function describeAssert(assert: Assert): string {
  const parts = Array.isArray(assert.comparisons) ? (assert.comparisons as Evaluation['comparisons']) : undefined;
  if (!parts) return describeComparison(assert);
  return `${assert.operator} of ${parts.length} did not hold: ${parts.map((part) => `${part.held ? '✓' : '✗'} ${describeComparison(part)}`).join(' ')}`;
}
