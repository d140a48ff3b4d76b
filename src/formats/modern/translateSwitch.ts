// `switch` with `value` and `equals`: a predicate where one side names a value of the run, the way itself where both are known.

import { type Reference, referencesIn, toPath, wholeReference } from './references.js';
import { type Json, type Site, sourceOf } from './site.js';
import type { Draft } from './translateNode.js';
import { outputKeys, translateTexts } from './translateTexts.js';

export function translateSwitch(site: Site, id: string, draft: Draft): void {
  const { value, equals, cases, ...rest } = draft.json;
  const at = ['workflow', 'nodes', id];
  draft.json = rest;
  const match = readMatch(site, at, cases);
  if (match === undefined) return;
  const compared = typeof value === 'string' && typeof equals === 'string' ? compare(site, id, [value, equals]) : undefined;
  if (compared === undefined) {
    refuse(site, at, { value, equals });
    return;
  }
  if (typeof compared === 'boolean') {
    fold(site, at, { draft, target: compared ? match : String(rest.default), held: compared });
    return;
  }
  const { when, subject, other } = compared;
  draft.json.cases = [{ when, next: match }];
  const from = (...keys: string[]) => sourceOf(site, id, ...keys);
  draft.moved.push([['cases'], from('cases')], [['cases', '0'], from('cases', 'match')]);
  draft.moved.push([['cases', '0', 'next'], from('cases', 'match')], [['cases', '0', 'when'], from(subject)]);
  for (const field of ['value', 'param']) draft.moved.push([['cases', '0', 'when', field], from(other)]);
}

function readMatch(site: Site, at: string[], cases: unknown): string | undefined {
  const { match, ...others } = (cases ?? {}) as { match?: string };
  for (const name of Object.keys(others)) {
    const message = `A switch has the case "match" and the default, not ${JSON.stringify(name)}.`;
    const hint = 'Write one switch for each value: "value", "equals", "cases": { "match": … }, "default": ….';
    site.authored.report({ code: 'recipe.action_case_not_declared', at: [...at, 'cases', name], message, hint });
  }
  if (match !== undefined || Object.keys(others).length > 0) return match;
  const message = 'A switch says where to go on with "cases": { "match": … } and "default".';
  site.authored.report({
    code: 'workflow.unsupported_switch',
    at,
    message,
    hint: 'Where there is one way only, leave the switch out.',
  });
  return undefined;
}

function refuse(site: Site, at: string[], { value, equals }: { value: unknown; equals: unknown }): void {
  const message = `A switch cannot compare ${JSON.stringify(value)} with ${JSON.stringify(equals)}.`;
  const hint =
    'Both are text. One of them is a fixed text or one {{params.<name>}}; the other may be one {{outputs.<node>.<path>}}, with nothing around it.';
  site.authored.report({ code: 'workflow.unsupported_switch', at: [...at, 'value'], message, hint });
}

type Folded = { draft: Draft; target: string; held: boolean };

// Both ways lead to the one place, so that it still is a switch, and what it leaves out is seen to be unreachable.
function fold(site: Site, at: string[], { draft, target, held }: Folded): void {
  const from = { document: site.authored.document, keys: held ? [...at, 'cases', 'match'] : [...at, 'default'] };
  const when = { source: 'inputs', path: '$', operator: 'exists' };
  draft.json = { ...draft.json, default: target, cases: [{ when, next: target }] };
  for (const field of [['default'], ['cases'], ['cases', '0'], ['cases', '0', 'next']]) draft.moved.push([field, from]);
  draft.moved.push([['cases', '0', 'when'], { ...from, keys: [...at, 'value'] }]);
  const message = `Both sides are fixed, so this switch always goes to ${JSON.stringify(target)}.`;
  const hint = 'Compare a {{params.<name>}} or {{outputs.<node>.<path>}}, or leave the switch out.';
  site.authored.report({ code: 'workflow.constant_switch', severity: 'warning', at: [...at, 'value'], message, hint });
}

type Compared = { when: Json; subject: 'value' | 'equals'; other: 'value' | 'equals' };

// The sides may change places: what can stand as a constant or a param goes to the right.
function compare(site: Site, id: string, [value, equals]: [string, string]): Compared | boolean | undefined {
  const sides = {
    value: { text: value, reference: wholeReference(value) },
    equals: { text: equals, reference: wholeReference(equals) },
  };
  if (Object.values(sides).some(({ text, reference }) => !reference && referencesIn(text).length > 0)) return undefined;
  translateTexts(site, { value, equals }, { keys: ['workflow', 'nodes', id], node: id });
  if (!sides.value.reference && !sides.equals.reference) return value === equals;
  for (const [subject, other] of [
    ['value', 'equals'],
    ['equals', 'value'],
  ] as const) {
    const { reference } = sides[subject];
    const compared = sides[other].reference ? toParam(sides[other].reference) : { value: sides[other].text };
    if (reference && compared)
      return { when: { ...toSubject(site, id, reference), operator: 'eq', ...compared }, subject, other };
  }
  return undefined;
}

function toSubject(site: Site, id: string, { root, keys }: Reference): Json {
  if (root === 'params') return { source: site.params, path: toPath(keys) };
  const [source, ...path] = outputKeys(site, keys, id);
  return { source, path: toPath(path) };
}

function toParam({ root, keys }: Reference): Json | undefined {
  return root === 'params' && keys.length === 1 ? { param: keys[0] } : undefined;
}
