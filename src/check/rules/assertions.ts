// Checks that assertions have known operators, valid paths and expected values, and that they can fail (spec §5.1).

import { RE2JS } from 're2js';
import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { parsePath } from '../../engine/jsonPath.js';
import { operators, unaryOperators } from '../../engine/operators.js';
import { referencesIn } from '../../engine/references.js';
import type { Atomic, RecipeNode } from '../../recipe/recipe.js';
import type { PlacedAtom } from '../recipeNodes.js';
import type { Rule, RuleContext } from '../ruleContext.js';

export const assertionRules: Rule = (context) => {
  for (const atom of context.atoms) checkAtom(context, atom);
  if (!context.traits.hasPatterns) return;
  for (const { node } of context.nodes) {
    for (const field of context.declarationOf(node)?.patternFields ?? []) checkPattern(context, node, field);
  }
};

function checkPattern({ report }: RuleContext, node: RecipeNode, field: string): void {
  const pattern = node.fields[field];
  if (typeof pattern !== 'string' || referencesIn(pattern).length > 0) return;
  const path = joinPointer(node.pointer, field);
  const quoted = JSON.stringify(pattern);
  if (!compilePattern(pattern)) {
    const message = `${quoted} is not a valid regular expression. Look-around and back references are not supported.`;
    report({ code: 'assertion.invalid_value', path, message });
  } else if (matchesAll(pattern))
    report({ code: 'assertion.cannot_fail', path, message: `${quoted} matches every string, so it proves nothing.` });
}

function checkAtom(context: RuleContext, placed: PlacedAtom): void {
  const { atom, pointer } = placed;
  const { operator = 'truthy', path = '$' } = atom;
  if (!parsePath(path)) {
    const message = `${JSON.stringify(path)} is not a path. Paths look like $, $.a.b, $.a[0] or $['odd key'].`;
    context.report({ code: 'assertion.invalid_path', path: joinPointer(pointer, 'path'), message });
  }
  if (context.operators.has(operator)) return;
  if (!operators.has(operator)) {
    reportOperator(context, operator, pointer);
    return;
  }
  const problem = isAlwaysTrue(context, placed) ? alwaysTrueProblem(operator) : operandProblem(operator, atom);
  if (!problem) return;
  const { at, ...finding } = problem;
  context.report({ ...finding, path: joinPointer(pointer, ...at) });
}

/** Every node has an output, so an assertion that it exists cannot fail. */
function isAlwaysTrue({ declarationOf }: RuleContext, { atom, use, at }: PlacedAtom): boolean {
  const { operator = 'truthy', path = '$', source } = atom;
  if (use === 'gate' || path !== '$' || source !== undefined) return false;
  const readsText = at !== undefined && declarationOf(at.node)?.readsAssert === true;
  return operator === 'exists' || operator === 'not_null' || (operator === 'truthy' && !readsText);
}

function alwaysTrueProblem(operator: string): Problem {
  const message = `${operator} holds for every output, so it proves nothing.`;
  return { code: 'assertion.cannot_fail', at: [], message, hint: 'Select a part of the output with "path".' };
}

function reportOperator({ report }: RuleContext, operator: string, pointer: string): void {
  const reason = operator.includes('.')
    ? 'not declared by a manifest or setup module'
    : 'not an official operator, and the name of a project operator has a namespace';
  const message = `The operator ${JSON.stringify(operator)} is ${reason}.`;
  const hint = (): string => didYouMean(operator, [...operators.keys()]);
  report({ code: 'assertion.unknown_operator', path: joinPointer(pointer, 'operator'), message, hint });
}

type Problem = { code: string; at: string[]; message: string; hint?: string; severity?: 'warning' };

function operandProblem(operator: string, atom: Atomic): Problem | undefined {
  const hasValue = Object.hasOwn(atom, 'value');
  if (unaryOperators.has(operator)) {
    const unused = hasValue ? 'value' : atom.param === undefined ? undefined : 'param';
    const message = `${operator} needs no expected value, so "${unused}" has no effect.`;
    return unused === undefined ? undefined : { code: 'assertion.unused_value', severity: 'warning', at: [unused], message };
  }
  if (hasValue && atom.param !== undefined)
    return {
      code: 'assertion.two_values',
      at: ['param'],
      message: `${operator} has two expected values, "value" and "param".`,
      hint: 'Keep either "value" or "param".',
    };
  if (!hasValue && atom.param === undefined)
    return {
      code: 'assertion.missing_value',
      at: [],
      message: `${operator} has no expected value.`,
      hint: 'Add "value" or "param".',
    };
  return hasValue && referencesIn(atom.value).length === 0 ? valueProblem(operator, atom.value) : undefined;
}

function valueProblem(operator: string, value: unknown): Problem | undefined {
  if (cannotFail(operator, value)) {
    const message = `${operator} ${JSON.stringify(value)} holds for every value, so it proves nothing.`;
    return { code: 'assertion.cannot_fail', at: ['value'], message };
  }
  const expected = expectedKind(operator, value);
  if (expected === undefined) return undefined;
  const message = `${operator} expects ${expected}, but "value" is ${JSON.stringify(value)}, so it can never hold.`;
  return { code: 'assertion.invalid_value', at: ['value'], message };
}

function cannotFail(operator: string, value: unknown): boolean {
  if (operator === 'contains') return value === '';
  if (operator === 'matches') return typeof value === 'string' && matchesAll(value);
  // Operator neq compares objects and lists by identity, so it holds for every one of them.
  if (operator === 'neq') return typeof value === 'object' && value !== null;
  return (operator === 'length_gte' && isBelow(value, 1)) || (operator === 'length_gt' && isBelow(value, 0));
}

function isBelow(value: unknown, bound: number): boolean {
  return typeof value === 'number' && value < bound;
}

const sampleTexts = ['', 'a', '0 9', '~\u0001\n', 'Ünïcode {"a": [1]}'];

/** Whether the pattern matches every one of the sample texts. */
function matchesAll(pattern: string): boolean {
  const compiled = compilePattern(pattern);
  return compiled !== undefined && sampleTexts.every((text) => compiled.matcher(text).find());
}

/** Describes the expected value that the operator needs, or undefined when the value is valid. */
function expectedKind(operator: string, value: unknown): string | undefined {
  if (/^(gt|gte|lt|lte)$/.test(operator)) return typeof value === 'number' ? undefined : 'a number';
  if (operator === 'length_lt') return Number.isInteger(value) && !isBelow(value, 1) ? undefined : 'a whole number from 1';
  if (operator.startsWith('length_')) return Number.isInteger(value) && !isBelow(value, 0) ? undefined : 'a whole number from 0';
  if (operator === 'not_contains') return value === '' ? 'a non-empty string' : undefined;
  if (operator === 'one_of') return Array.isArray(value) && value.length > 0 ? undefined : 'a list of values';
  if (operator === 'eq')
    return typeof value === 'object' && value !== null ? 'a plain value (deep_eq compares objects and lists)' : undefined;
  if (operator === 'matches')
    return typeof value === 'string' && compilePattern(value)
      ? undefined
      : 'a regular expression without look-around or back references';
  return undefined;
}

/** Returns undefined for an invalid pattern, and for a pattern that cannot be matched in linear time (look-around, back references). */
function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    // RE2JSSyntaxException
    return undefined;
  }
}
