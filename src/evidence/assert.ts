// An evaluated assertion as evidence: one entry per assertion, whatever it is made of.
import type { Assertion, Evaluation } from '../graph/predicate.js';
import { describeComparison } from '../graph/predicate.js';
import type { Assert } from './journal.js';

export function toAssert(assertion: Assertion, { held, comparisons }: Evaluation, proofTarget?: string): Assert {
  const [only] = comparisons;
  const target = proofTarget === undefined ? {} : { proofTarget };
  const compound = ['all', 'any', 'none'].find((key) => key in assertion);
  if (compound === undefined && only) return { ...only, ...target };
  return { operator: compound ?? 'truthy', path: '$', held, comparisons, ...target };
}

/** The sentence for an assertion that did not hold. */
export function describeAssert(made: Assert): string {
  const parts = Array.isArray(made.comparisons) ? (made.comparisons as Evaluation['comparisons']) : undefined;
  if (!parts) return describeComparison(made);
  return `${made.operator} of ${parts.length} did not hold: ${parts.map((part) => `${part.held ? '✓' : '✗'} ${describeComparison(part)}`).join(' ')}`;
}
