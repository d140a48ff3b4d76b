// `switch` with `value` and `equals`: a predicate where one side names a value of the run, the way itself where both are known.

import { findReferences, parseReference, type Reference, resolveOutputKeys, toPath, translateTexts } from './references.js';
import { getNodeSource, type Json, type NodeDraft, type TranslationContext } from './translationContext.js';

export function translateSwitch(context: TranslationContext, id: string, draft: NodeDraft): void {
  const { value, equals, cases, ...rest } = draft.json;
  const at = ['workflow', 'nodes', id];
  draft.json = rest;
  const match = readMatch(context, at, cases);
  if (match === undefined) return;
  const compared =
    typeof value === 'string' && typeof equals === 'string' ? compareSides(context, id, [value, equals]) : undefined;
  if (compared === undefined) {
    reportUnsupportedSwitch(context, at, { value, equals });
    return;
  }
  if (typeof compared === 'boolean') {
    foldConstantSwitch(context, at, { draft, target: compared ? match : String(rest.default), held: compared });
    return;
  }
  const { when, subject, other } = compared;
  draft.json.cases = [{ when, next: match }];
  const from = (...keys: string[]) => getNodeSource(context, id, ...keys);
  draft.moved.push([['cases'], from('cases')], [['cases', '0'], from('cases', 'match')]);
  draft.moved.push([['cases', '0', 'next'], from('cases', 'match')], [['cases', '0', 'when'], from(subject)]);
  for (const field of ['value', 'param']) draft.moved.push([['cases', '0', 'when', field], from(other)]);
}

function readMatch(context: TranslationContext, at: string[], cases: unknown): string | undefined {
  const { match, ...others } = (cases ?? {}) as { match?: string };
  for (const name of Object.keys(others)) {
    const message = `A switch has the case "match" and the default, not ${JSON.stringify(name)}.`;
    const hint = 'Write one switch for each value: "value", "equals", "cases": { "match": … }, "default": ….';
    context.recipe.report({ code: 'recipe.action_case_not_declared', at: [...at, 'cases', name], message, hint });
  }
  if (match !== undefined || Object.keys(others).length > 0) return match;
  const message = 'A switch says where to go on with "cases": { "match": … } and "default".';
  context.recipe.report({
    code: 'workflow.unsupported_switch',
    at,
    message,
    hint: 'Where there is one way only, leave the switch out.',
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
    'Both are text. One of them is a fixed text or one {{params.<name>}}; the other may be one {{outputs.<node>.<path>}}, with nothing around it.';
  context.recipe.report({ code: 'workflow.unsupported_switch', at: [...at, 'value'], message, hint });
}

type ConstantSwitch = { draft: NodeDraft; target: string; held: boolean };

// Both ways lead to the one place, so that it still is a switch, and what it leaves out is seen to be unreachable.
function foldConstantSwitch(context: TranslationContext, at: string[], { draft, target, held }: ConstantSwitch): void {
  const from = { document: context.recipe.document, keys: held ? [...at, 'cases', 'match'] : [...at, 'default'] };
  const when = { source: 'inputs', path: '$', operator: 'exists' };
  draft.json = { ...draft.json, default: target, cases: [{ when, next: target }] };
  for (const field of [['default'], ['cases'], ['cases', '0'], ['cases', '0', 'next']]) draft.moved.push([field, from]);
  draft.moved.push([['cases', '0', 'when'], { ...from, keys: [...at, 'value'] }]);
  const message = `Both sides are fixed, so this switch always goes to ${JSON.stringify(target)}.`;
  const hint = 'Compare a {{params.<name>}} or {{outputs.<node>.<path>}}, or leave the switch out.';
  context.recipe.report({ code: 'workflow.constant_switch', severity: 'warning', at: [...at, 'value'], message, hint });
}

type Comparison = { when: Json; subject: 'value' | 'equals'; other: 'value' | 'equals' };

// The sides may change places: what can stand as a constant or a param goes to the right.
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
    const compared = sides[other].reference ? toComparisonParam(sides[other].reference) : { value: sides[other].text };
    if (reference && compared)
      return { when: { ...toComparisonSource(context, id, reference), operator: 'eq', ...compared }, subject, other };
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
