// Turns an evaluated assertion into one entry of the evidence, even if the assertion has several comparisons.

import { omitUndefined } from '../document/omitUndefined.js';
import { type Comparison, describeComparison, type Evaluation } from '../engine/evaluateAssertion.js';
import type { Assertion } from '../recipe/recipe.js';
import type { Assert } from './models/journalLine.js';

export function toAssertEntry(assertion: Assertion, { held, comparisons }: Evaluation, proofTarget?: string): Assert {
  const shortened = comparisons.map(shortenComparison);
  const [first] = shortened;
  const target = omitUndefined({ proofTarget });
  const compound = ['all', 'any', 'none'].find((key) => key in assertion);
  if (compound === undefined && first) return { ...first, ...target };
  return { operator: compound ?? 'truthy', path: '$', held, comparisons: shortened, ...target };
}

const maxTextLength = 4_000;

// The output of the node has the whole string, so the entry keeps only its beginning and its end.
function shortenComparison(comparison: Comparison): Comparison {
  const { actual } = comparison;
  if (typeof actual !== 'string' || actual.length <= maxTextLength) return comparison;
  const half = maxTextLength / 2;
  const omitted = actual.length - maxTextLength;
  return { ...comparison, actual: `${actual.slice(0, half)}\n… ${omitted} characters left out …\n${actual.slice(-half)}` };
}

/** Describes a failed assertion in one sentence. */
export function describeAssert(assert: Assert): string {
  const parts = Array.isArray(assert.comparisons) ? (assert.comparisons as Evaluation['comparisons']) : undefined;
  if (!parts) return describeComparison(assert);
  const sentences = parts.map((part) => `${part.held ? '✓' : '✗'} ${describeComparison(part)}`);
  return `The assertion "${assert.operator}" of ${parts.length} comparisons failed: ${sentences.join(' ')}`;
}
