// Template references resolve before anything runs, and go only where they are safe (spec §4.1).

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { referencesAt, referencesIn } from '../../engine/template.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { codeReferences } from '../../shell/codeReferences.js';
import type { Checked, Rule } from '../rules.js';
import { isSecret } from './inputs.js';
import { checkParam } from './params.js';

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
    const at: Standing = { flow, readsOutputs: node.templates === 'outputs' };
    if (inFields) checkValue(checked, at, { value: fields, path: pointer });
    if (inIntent) checkValue(checked, at, { value: intent, path: joinPointer(pointer, 'intent') });
  }
  for (const { atom, pointer, flow, at } of checked.atoms) {
    if (isLiteral || !mentionsReference(atom.value)) continue;
    const standing: Standing = { flow, readsOutputs: at?.node.templates === 'outputs' };
    const written: Written = { value: atom.value, path: joinPointer(pointer, 'value') };
    checkValue(checked, standing, written);
    checkSecrets(checked, written);
  }
};

/** What may be referred to: the params of the flow, and outputs where the node says so. */
type Standing = { flow: string | undefined; readsOutputs: boolean };
type Written = { value: unknown; path: string };
type Referred = { reference: string; path: string };

function mentionsReference(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (key.includes('{{') || mentionsReference((value as Record<string, unknown>)[key])) return true;
  return false;
}

function checkCode({ declared, report }: Checked, node: RecipeNode): void {
  const { fields, bindings, pointer } = node;
  const shellFields = declared(node)?.shellFields;
  if (!shellFields) return;
  for (const { at, name, reader } of codeReferences(fields, { shellFields, bound: bindings.keys() })) {
    const named = at[0] === 'rw' ? `What is read into ${JSON.stringify(name)}` : `{{${name}}}`;
    const message = `${named} stands where another interpreter reads it (${reader}), so its value could become code.`;
    const hint =
      'Give the value to a program of your own as an argument: "argv": ["node", "check.mjs", "{{…}}"], or in "env" of such a program.';
    report({ code: 'command.reference_in_interpreter', path: joinPointer(pointer, ...at), message, hint });
  }
}

// Both sides of a comparison are recorded.
function checkSecrets({ compiled, report }: Checked, { value, path }: Written): void {
  for (const reference of referencesIn(value)) {
    const name = reference.startsWith('inputs.') ? reference.split('.')[1] : reference;
    if (!isSecret(compiled.recipe.inputs.get(name ?? ''))) continue;
    const message = `{{${reference}}} is a secret and may not be compared with: what an assertion expects is recorded.`;
    report({ code: 'inputs.secret_misplaced', path, message });
  }
}

function checkValue(checked: Checked, at: Standing, { value, path }: Written): void {
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

function checkText(checked: Checked, at: Standing, { text, path }: { text: string; path: string }): void {
  const found = referencesAt(text);
  for (const reference of new Set(found.map(({ name }) => name))) checkReference(checked, at, { reference, path });
  checkMalformed(checked, text, { path, starts: new Set(found.map(({ start }) => start)) });
}

const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

function checkReference(checked: Checked, at: Standing, { reference, path }: Referred): void {
  const [root = '', key = ''] = reference.split('.');
  const named = `{{${reference}}}`;
  if (reference.split('.').some((part) => forbidden.has(part))) {
    checked.report({ code: 'template.forbidden_key', path, message: `${named} names a key that no value may have.` });
  } else if (root === 'outputs') {
    if (at.readsOutputs) return;
    const message = `${named}: a Recipe v1 template cannot read outputs.`;
    const hint = 'Read it by "rw": { "in": { "field": { "source": "node", "path": "$.a" } } }, or by an assertion with "source".';
    checked.report({ code: 'template.output_reference', path, message, hint });
  } else if (root === 'params' && at.flow !== undefined) checkParam(checked, at.flow, { key, path });
  else checkInput(checked, { reference, path });
}

function checkInput({ compiled, wellKnown, report }: Checked, { reference, path }: Referred): void {
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
  { report }: Checked,
  text: string,
  { path, starts }: { path: string; starts: ReadonlySet<number> },
): void {
  const broken = [...text.matchAll(/\{\{\s*(?:params|inputs|outputs|saved)\b(?!-?\w*\s*\}\})/g)].filter(
    ({ index }) => !starts.has(index),
  );
  const [first] = broken;
  if (!first) return;
  const start = text.slice(first.index, first.index + 60);
  const written = start.includes('}}') ? start.slice(0, start.indexOf('}}') + 2) : start;
  const more = broken.length > 1 ? ` There are ${broken.length - 1} more like it in this text.` : '';
  const message = `${JSON.stringify(written)} is not a reference. References look like {{inputs.name}} or {{params.object.field}}.${more}`;
  report({ code: 'template.invalid_reference', path, message });
}
