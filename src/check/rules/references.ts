// Template references resolve before anything runs, and go only where they are safe (spec §4.1).
import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { referencesAt, referencesIn } from '../../engine/references.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { findCodeReferences } from '../../shell/codeReferences.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { isSecret } from './inputs.js';

export const referenceRules: Rule = (checked) => {
  const { isLiteral } = checked.compiled;
  if (isLiteral && !checked.traits.bindings) return;
  for (const { node, flow } of checked.nodes) {
    if (isLiteral && node.bindings.size === 0) continue;
    const { fields, intent, pointer } = node;
    const inFields = mentionsReference(fields);
    const inIntent = intent?.includes('{{') === true;
    if (inFields || node.bindings.size > 0) checkCode(checked, node);
    if (!inFields && !inIntent) continue;
    const at: ReferenceScope = { flow, readsOutputs: node.templates === 'outputs' };
    if (inFields) checkValue(checked, at, { value: fields, path: pointer });
    if (inIntent) checkValue(checked, at, { value: intent, path: joinPointer(pointer, 'intent') });
  }
  for (const { atom, pointer, flow, at } of checked.atoms) {
    if (isLiteral || !mentionsReference(atom.value)) continue;
    const standing: ReferenceScope = { flow, readsOutputs: at?.node.templates === 'outputs' };
    const written: PlacedValue = { value: atom.value, path: joinPointer(pointer, 'value') };
    checkValue(checked, standing, written);
    checkSecrets(checked, written);
  }
};

/** What may be referred to: the params of the flow, and outputs where the node says so. */
type ReferenceScope = { flow: string | undefined; readsOutputs: boolean };
type PlacedValue = { value: unknown; path: string };
type PlacedReference = { reference: string; path: string };

function mentionsReference(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (key.includes('{{') || mentionsReference((value as Record<string, unknown>)[key])) return true;
  return false;
}

function checkCode({ declarationOf, report }: RuleContext, node: RecipeNode): void {
  const { fields, bindings, pointer } = node;
  const shellFields = declarationOf(node)?.shellFields;
  if (!shellFields) return;
  for (const { at, name, reader } of findCodeReferences(fields, { shellFields, bound: bindings.keys() })) {
    const subject = at[0] === 'rw' ? `What is read into ${JSON.stringify(name)}` : `{{${name}}}`;
    const message = `${subject} stands where another interpreter reads it (${reader}), so its value could become code.`;
    const hint =
      'Give the value to a program of your own as an argument: "argv": ["node", "check.mjs", "{{…}}"], or in "env" of such a program.';
    report({ code: 'command.reference_in_interpreter', path: joinPointer(pointer, ...at), message, hint });
  }
}

// Both sides of a comparison are recorded.
function checkSecrets({ compiled, report }: RuleContext, { value, path }: PlacedValue): void {
  for (const reference of referencesIn(value)) {
    const name = reference.startsWith('inputs.') ? reference.split('.')[1] : reference;
    if (!isSecret(compiled.recipe.inputs.get(name ?? ''))) continue;
    const message = `{{${reference}}} is a secret and may not be compared with: what an assertion expects is recorded.`;
    report({ code: 'inputs.secret_misplaced', path, message });
  }
}

function checkValue(checked: RuleContext, at: ReferenceScope, { value, path }: PlacedValue): void {
  if (typeof value === 'string') {
    if (value.includes('{{')) checkText(checked, at, { text: value, path });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const place = joinPointer(path, key);
    if (typeof inner === 'string' || typeof inner === 'object') checkValue(checked, at, { value: inner, path: place });
    if (referencesAt(key).length === 0) continue;
    const message = `The key ${JSON.stringify(key)} holds a reference, but only values are filled in, never keys.`;
    checked.report({ code: 'template.invalid_reference', path: place, message, hint: 'Write the key out.' });
  }
}

function checkText(checked: RuleContext, at: ReferenceScope, { text, path }: { text: string; path: string }): void {
  const found = referencesAt(text);
  for (const reference of new Set(found.map(({ name }) => name))) checkReference(checked, at, { reference, path });
  checkMalformed(checked, text, { path, starts: new Set(found.map(({ start }) => start)) });
}

const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

function checkReference(checked: RuleContext, at: ReferenceScope, { reference, path }: PlacedReference): void {
  const [root = '', key = ''] = reference.split('.');
  const quoted = `{{${reference}}}`;
  if (reference.split('.').some((part) => forbidden.has(part))) {
    checked.report({ code: 'template.forbidden_key', path, message: `${quoted} names a key that no value may have.` });
  } else if (root === 'outputs') {
    if (at.readsOutputs) return;
    const message = `${quoted}: a Recipe v1 template cannot read outputs.`;
    const hint = 'Read it by "rw": { "in": { "field": { "source": "node", "path": "$.a" } } }, or by an assertion with "source".';
    checked.report({ code: 'template.output_reference', path, message, hint });
  } else if (root === 'params' && at.flow !== undefined) checkParam(checked, at.flow, { key, path });
  else checkInput(checked, { reference, path });
}

function checkInput({ compiled, wellKnown, report }: RuleContext, { reference, path }: PlacedReference): void {
  const { inputs } = compiled.recipe;
  const [root = '', key = ''] = reference.split('.');
  const name = root === 'inputs' ? key : root;
  if (root !== 'params' && (inputs.has(name) || wellKnown.has(name))) return;
  const message =
    root === 'params'
      ? `{{${reference}}} names a param, but only flows have params.`
      : `{{${reference}}} names no declared input.`;
  const last = reference.split('.').at(-1) ?? reference;
  const hint = (): string => didYouMean(last, [...inputs.keys(), ...wellKnown]);
  report({ code: 'template.unresolved_reference', path, message, hint });
}

// What looks like a reference of ours but is none would stay in the text; other template languages are left alone.
function checkMalformed(
  { report }: RuleContext,
  text: string,
  { path, starts }: { path: string; starts: ReadonlySet<number> },
): void {
  const broken = [...text.matchAll(/\{\{\s*(?:params|inputs|outputs|saved)\b(?!-?\w*\s*\}\})/g)].filter(
    ({ index }) => !starts.has(index),
  );
  const [first] = broken;
  if (!first) return;
  const start = text.slice(first.index, first.index + 60);
  const quoted = start.includes('}}') ? start.slice(0, start.indexOf('}}') + 2) : start;
  const more = broken.length > 1 ? ` There are ${broken.length - 1} more like it in this text.` : '';
  const message = `${JSON.stringify(quoted)} is not a reference. References look like {{inputs.name}} or {{params.object.field}}.${more}`;
  report({ code: 'template.invalid_reference', path, message });
}

// {{params.x}} inside of a flow: the flow says which params it has, and every call gives them (spec §4.1, §8).

type ParamAt = { key: string; path: string };
type Schema = {
  properties?: Record<string, { default?: unknown } | undefined>;
  required?: unknown;
  additionalProperties?: unknown;
};

export function checkParam(checked: RuleContext, flow: string, { key, path }: ParamAt): void {
  const schema = checked.compiled.recipe.flows.get(flow)?.paramsSchema as Schema | undefined;
  const properties = schema?.properties ?? {};
  const required = Array.isArray(schema?.required) && schema.required.includes(key);
  const listed = Object.hasOwn(properties, key);
  if (listed && properties[key]?.default !== undefined) return;
  const { callers, lacking } = callersOf(checked, flow, key);
  const saysAll = Object.keys(properties).length > 0 || Array.isArray(schema?.required);
  const unknown = schema !== undefined && !listed && !required;
  if (unknown && (schema.additionalProperties === false || (saysAll && lacking.length === callers.length))) {
    const message = `{{params.${key}}} is no param of ${JSON.stringify(flow)}${callers.length > 0 ? ', and no call gives it' : ''}.`;
    const hint = (): string => didYouMean(key, Object.keys(properties));
    checked.report({ code: 'template.unresolved_reference', path, message, hint });
    return;
  }
  for (const node of lacking) reportLacking(checked, node, { key, path, optional: listed && !required });
}

function reportLacking(
  { report }: RuleContext,
  node: RecipeNode,
  { key, path, optional }: ParamAt & { optional: boolean },
): void {
  const gives = Object.keys(node.fields.params ?? {}).join(', ') || 'no params';
  const message = `{{params.${key}}} has no value when ${JSON.stringify(node.id)} calls the flow: it gives ${gives}.`;
  if (!optional) {
    report({ code: 'template.unresolved_reference', path, message });
    return;
  }
  const call = node.fields.params === undefined ? node.pointer : joinPointer(node.pointer, 'params');
  const hint = `The node that uses it fails when it is reached. Give ${JSON.stringify(key)}, or a "default" in "paramsSchema".`;
  report({ code: 'template.unresolved_reference', severity: 'warning', path: call, message, hint });
}

// Each document is asked about many params of few flows.
const callsByRecipe = new WeakMap<object, Map<unknown, RecipeNode[]>>();

function callersOf({ nodes }: RuleContext, flow: string, key: string): { callers: RecipeNode[]; lacking: RecipeNode[] } {
  let calls = callsByRecipe.get(nodes);
  if (!calls) {
    calls = new Map<unknown, RecipeNode[]>();
    for (const { node } of nodes) {
      if (node.fields.ref === undefined || node.bindings.has('params')) continue;
      const list = calls.get(node.fields.ref);
      if (list) list.push(node);
      else calls.set(node.fields.ref, [node]);
    }
    callsByRecipe.set(nodes, calls);
  }
  const callers = calls.get(flow) ?? [];
  return { callers, lacking: callers.filter(({ fields }) => !Object.hasOwn((fields.params ?? {}) as object, key)) };
}
