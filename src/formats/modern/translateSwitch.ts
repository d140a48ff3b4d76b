// Translates `switch` with `value` and `equals` into a condition, or into a fixed target when both sides are constant.

import { findReferences, parseReference, type Reference, resolveOutputKeys, toPath, translateTexts } from './references.js';
import { getNodeSource, type Json, type NodeDraft, type TranslationContext } from './translationContext.js';

export function translateSwitch(context: TranslationContext, id: string, draft: NodeDraft): void {
  const { value, equals, cases, ...rest } = draft.json;
  const at = ['workflow', 'nodes', id];
  draft.json = rest;
  const match = readMatch(context, at, cases);
  if (match === undefined) return;
  const comparison =
    typeof value === 'string' && typeof equals === 'string' ? compareSides(context, id, [value, equals]) : undefined;
  if (comparison === undefined) {
    reportUnsupportedSwitch(context, at, { value, equals });
    return;
  }
  if (typeof comparison === 'boolean') {
    foldConstantSwitch(context, at, { draft, target: comparison ? match : String(rest.default), isMatch: comparison });
    return;
  }
  const { when, subject, other } = comparison;
  draft.json.cases = [{ when, next: match }];
  const from = (...keys: string[]) => getNodeSource(context, id, ...keys);
  draft.moved.push([['cases'], from('cases')], [['cases', '0'], from('cases', 'match')]);
  draft.moved.push([['cases', '0', 'next'], from('cases', 'match')], [['cases', '0', 'when'], from(subject)]);
  for (const field of ['value', 'param']) draft.moved.push([['cases', '0', 'when', field], from(other)]);
}

function readMatch(context: TranslationContext, at: string[], cases: unknown): string | undefined {
  const { match, ...others } = (cases ?? {}) as { match?: string };
  for (const name of Object.keys(others)) {
    const message = `A switch has only the case "match" and the default, not ${JSON.stringify(name)}.`;
    const hint = 'Write one switch for each value: "value", "equals", "cases": { "match": … }, "default": ….';
    context.recipe.report({ code: 'recipe.action_case_not_declared', at: [...at, 'cases', name], message, hint });
  }
  if (match !== undefined || Object.keys(others).length > 0) return match;
  const message = 'A switch needs "cases": { "match": … } and "default".';
  context.recipe.report({
    code: 'workflow.unsupported_switch',
    at,
    message,
    hint: 'If there is only one target, remove the switch.',
  });
  return undefined;
}

function reportUnsupportedSwitch(
  context: TranslationContext,
  at: string[],
  { value, equals }: { value: unknown; equals: unknown },
): void {
  const message = `A switch cannot compare ${JSON.stringify(value)} with ${JSON.stringify(equals)}.`;
  const hint =
    'Both sides must be strings. One side must be a fixed string or a single {{params.<name>}}; the other may also be a single {{outputs.<node>.<path>}}.';
  context.recipe.report({ code: 'workflow.unsupported_switch', at: [...at, 'value'], message, hint });
}

type ConstantSwitch = { draft: NodeDraft; target: string; isMatch: boolean };

// The node stays a switch whose case and default have the same target, so that the other target is reported as unreachable.
function foldConstantSwitch(context: TranslationContext, at: string[], { draft, target, isMatch }: ConstantSwitch): void {
  const from = { document: context.recipe.document, keys: isMatch ? [...at, 'cases', 'match'] : [...at, 'default'] };
  const when = { source: 'inputs', path: '$', operator: 'exists' };
  draft.json = { ...draft.json, default: target, cases: [{ when, next: target }] };
  for (const field of [['default'], ['cases'], ['cases', '0'], ['cases', '0', 'next']]) draft.moved.push([field, from]);
  draft.moved.push([['cases', '0', 'when'], { ...from, keys: [...at, 'value'] }]);
  const message = `Both sides are fixed, so this switch always goes to ${JSON.stringify(target)}.`;
  const hint = 'Compare a {{params.<name>}} or {{outputs.<node>.<path>}}, or remove the switch.';
  context.recipe.report({ code: 'workflow.constant_switch', severity: 'warning', at: [...at, 'value'], message, hint });
}

type Comparison = { when: Json; subject: 'value' | 'equals'; other: 'value' | 'equals' };

// Swaps the sides if necessary: the right side must be a constant or a param.
function compareSides(
  context: TranslationContext,
  id: string,
  [value, equals]: [string, string],
): Comparison | boolean | undefined {
  const sides = {
    value: { text: value, reference: parseReference(value) },
    equals: { text: equals, reference: parseReference(equals) },
  };
  if (Object.values(sides).some(({ text, reference }) => !reference && findReferences(text).length > 0)) return undefined;
  translateTexts(context, { value, equals }, { keys: ['workflow', 'nodes', id], node: id });
  if (!sides.value.reference && !sides.equals.reference) return value === equals;
  for (const [subject, other] of [
    ['value', 'equals'],
    ['equals', 'value'],
  ] as const) {
    const { reference } = sides[subject];
    const operand = sides[other].reference ? toComparisonParam(sides[other].reference) : { value: sides[other].text };
    if (reference && operand)
      return { when: { ...toComparisonSource(context, id, reference), operator: 'eq', ...operand }, subject, other };
  }
  return undefined;
}

function toComparisonSource(context: TranslationContext, id: string, { root, keys }: Reference): Json {
  if (root === 'params') return { source: context.params, path: toPath(keys) };
  const [source, ...path] = resolveOutputKeys(context, keys, id);
  return { source, path: toPath(path) };
}

function toComparisonParam({ root, keys }: Reference): Json | undefined {
  return root === 'params' && keys.length === 1 ? { param: keys[0] } : undefined;
}
