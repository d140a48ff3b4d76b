// Template references resolve before anything runs, and go only where they are safe (spec §4.1).
import type { RecipeNode } from '../../dialects/recipe.js';
import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { shellReferences } from '../../graph/shellText.js';
import { referencesIn } from '../../graph/template.js';
import type { Checked, NodeInGraph, Rule } from '../rules.js';
import { paramsOf } from './calls.js';

export const referenceRules: Rule = (checked) => {
  for (const at of checked.nodes) {
    const { fields, intent, pointer } = at.node;
    if (!mentionsReference(fields) && !mentionsReference(intent)) continue;
    checkShell(checked, at.node);
    for (const [field, value] of Object.entries({ ...fields, intent })) {
      const path = joinPointer(pointer, field);
      for (const reference of referencesIn(value)) checkReference(checked, at, { reference, path });
      checkMalformed(checked, value, path);
    }
  }
};

function mentionsReference(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (mentionsReference((value as Record<string, unknown>)[key])) return true;
  return false;
}

function checkShell({ vocabulary, report }: Checked, node: RecipeNode): void {
  for (const field of vocabulary.get(node.action)?.shellFields ?? []) {
    const text = node.fields[field];
    if (typeof text !== 'string') continue;
    for (const { name, quoting } of shellReferences(text)) {
      if (quoting !== 'nested') continue;
      const message = `{{${name}}} stands where another interpreter reads it, so its value could become code.`;
      const hint = 'Use "argv": […], which runs without a shell, or give the value in "env".';
      report({ code: 'command.reference_in_interpreter', path: joinPointer(node.pointer, field), message, hint });
    }
  }
}

type Referred = { reference: string; path: string };

const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

function checkReference(checked: Checked, at: NodeInGraph, referred: Referred): void {
  const { reference, path } = referred;
  const [root = '', key = ''] = reference.split('.');
  const named = `{{${reference}}}`;
  if (reference.split('.').some((part) => forbidden.has(part))) {
    checked.report({ code: 'template.forbidden_key', path, message: `${named} names a key that no value may have.` });
  } else if (root === 'outputs') {
    if (at.node.templates === 'outputs') return;
    const message = `${named}: a Recipe v1 template cannot read outputs.`;
    const hint = 'Read it by "rw": { "in": { "field": { "source": "node", "path": "$.a" } } }, or by an assertion with "source".';
    checked.report({ code: 'template.output_reference', path, message, hint });
  } else if (root === 'params') {
    if (at.flow === undefined) reportUnresolved(checked, referred, [...checked.compiled.recipe.inputs.keys()]);
    else checkParam(checked, at.flow, { ...referred, reference: key });
  } else {
    const known = [...checked.compiled.recipe.inputs.keys(), ...checked.wellKnown];
    if (!known.includes(root === 'inputs' ? key : root)) reportUnresolved(checked, referred, known);
  }
}

function reportUnresolved({ report }: Checked, { reference, path }: Referred, known: readonly string[]): void {
  const message = `{{${reference}}} names no declared input.`;
  const name = reference.split('.').at(-1) ?? reference;
  report({ code: 'template.unresolved_reference', path, message, hint: didYouMean(name, known) });
}

function checkParam({ nodes, compiled, report }: Checked, flow: string, { reference: key, path }: Referred): void {
  const declared = paramsOf(compiled.recipe.flows.get(flow));
  if (declared && !declared.includes(key)) {
    const message = `{{params.${key}}} is no param of ${JSON.stringify(flow)}.`;
    report({ code: 'template.unresolved_reference', path, message, hint: didYouMean(key, declared) });
    return;
  }
  const schema = compiled.recipe.flows.get(flow)?.paramsSchema?.properties as Record<string, { default?: unknown }> | undefined;
  if (schema && Object.hasOwn(schema, key) && schema[key]?.default !== undefined) return;
  for (const { node } of nodes) {
    if (node.fields.ref !== flow || node.bindings.has('params')) continue;
    const params = node.fields.params ?? {};
    if (Object.hasOwn(params as object, key)) continue;
    const gives = Object.keys(params).join(', ') || 'no params';
    const message = `{{params.${key}}} has no value when ${JSON.stringify(node.id)} calls the flow: it gives ${gives}.`;
    report({ code: 'template.unresolved_reference', path, message });
  }
}

// What looks like a reference of ours but is none would stay in the text; other template languages are left alone.
function checkMalformed(checked: Checked, value: unknown, path: string): void {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) checkMalformed(checked, inner, path);
    return;
  }
  if (typeof value !== 'string' || !value.includes('{{')) return;
  for (const [written = ''] of value.matchAll(/\{\{\s*(params|inputs|outputs|saved)\b[^}]*(\}\}|$)/g)) {
    if (referencesIn(written).length > 0) continue;
    const message = `${JSON.stringify(written)} is not a reference. References look like {{inputs.name}} or {{params.object.field}}.`;
    checked.report({ code: 'template.invalid_reference', path, message });
  }
}
