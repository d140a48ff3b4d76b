// Assertions that mean something: known operators, readable paths, something to compare with, and a way to fail.

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { operators, unary } from '../../graph/operators.js';
import { parsePath } from '../../graph/path.js';
import type { Assertion, Atomic } from '../../graph/predicate.js';
import type { Report, Rule } from '../rules.js';

export const assertionRules: Rule = ({ nodes, compiled, report }) => {
  for (const { node } of nodes) {
    for (const field of ['assert', 'when', 'unless'] as const) {
      if (node[field]) checkAssertion(node[field], joinPointer(node.pointer, field), report);
    }
    for (const [index, { when }] of (node.cases ?? []).entries())
      checkAssertion(when, joinPointer(node.pointer, 'cases', index, 'when'), report);
    for (const [index, { when }] of (node.body?.edges ?? []).entries()) {
      if (when) checkAssertion(when, joinPointer(node.pointer, 'body', 'edges', index, 'when'), report);
    }
  }
  for (const { id, postcondition } of compiled.recipe.flows.values()) {
    if (postcondition) checkAssertion(postcondition, joinPointer('/flows', id, 'postcondition'), report);
  }
};

function checkAssertion(assertion: Assertion, pointer: string, report: Report): void {
  for (const compound of ['all', 'any', 'none'] as const) {
    const parts = (assertion as Partial<Record<typeof compound, Assertion[]>>)[compound];
    if (!parts) continue;
    for (const [index, part] of parts.entries()) checkAssertion(part, joinPointer(pointer, compound, index), report);
    return;
  }
  checkAtomic(assertion as Atomic, pointer, report);
}

function checkAtomic(atomic: Atomic, pointer: string, report: Report): void {
  const { operator = 'truthy', path = '$' } = atomic;
  if (!operators.has(operator)) {
    const message = `There is no operator ${JSON.stringify(operator)}.`;
    report({
      code: 'assertion.unknown_operator',
      path: joinPointer(pointer, 'operator'),
      message,
      hint: didYouMean(operator, [...operators.keys()]),
    });
    return;
  }
  if (!parsePath(path)) {
    const message = `${JSON.stringify(path)} is not a path. Paths look like $, $.a.b, $.a[0] or $['odd key'].`;
    report({ code: 'assertion.invalid_path', path: joinPointer(pointer, 'path'), message });
  }
  const compares = !unary.has(operator);
  if (compares && !Object.hasOwn(atomic, 'value') && atomic.param === undefined) {
    report({
      code: 'assertion.missing_value',
      path: pointer,
      message: `${operator} has nothing to compare with.`,
      hint: 'Add "value" or "param".',
    });
  }
  if (cannotFail(operator, atomic)) {
    report({
      code: 'assertion.cannot_fail',
      path: pointer,
      message: `${operator} ${JSON.stringify(atomic.value)} holds for everything, so it proves nothing.`,
    });
  }
}

function cannotFail(operator: string, { value }: Atomic): boolean {
  if (operator === 'contains' || operator === 'matches') return value === '';
  return operator === 'length_gte' && value === 0;
}
