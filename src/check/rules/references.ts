// Template references that resolve before anything runs, and go only where they are safe (spec §4.1).

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { referencesIn } from '../../graph/template.js';
import type { Checked, NodeInGraph, Rule } from '../rules.js';

export const referenceRules: Rule = (checked) => {
  const { recipe } = checked.compiled;
  for (const at of checked.nodes) {
    for (const [field, value] of Object.entries({ ...at.node.fields, intent: at.node.intent })) {
      for (const reference of referencesIn(value)) checkReference(checked, at, field, reference);
    }
  }
  for (const [name, value] of recipe.inputs) {
    if ((value as { type?: unknown } | null)?.type !== 'secret-ref') continue;
    const message =
      'secret-ref inputs are not supported yet, so the recipe is refused rather than run with a secret in the open.';
    checked.report({ code: 'inputs.secret_ref', path: joinPointer('/inputs', name), message });
  }
};

function checkReference(checked: Checked, { node, flow }: NodeInGraph, field: string, reference: string): void {
  const path = joinPointer(node.pointer, field);
  const named = `{{${reference}}}`;
  if (checked.registry.get(node.action)?.shellFields?.includes(field)) {
    const message = `${named} would become part of a shell command.`;
    checked.report({ code: 'command.reference_in_shell', path, message, hint: 'Use "argv": […], which runs without a shell.' });
  }
  const [root = '', key = ''] = reference.split('.');
  if (flow !== undefined && root === 'params') {
    checkParam(checked, flow, key, path);
    return;
  }
  const known = [...checked.compiled.recipe.inputs.keys()];
  if (root === 'inputs' ? known.includes(key) : known.includes(root)) return;
  checked.report({
    code: 'template.unresolved_reference',
    path,
    message: `${named} names no declared input.`,
    hint: didYouMean(key || root, known),
  });
}

function checkParam({ nodes, report }: Checked, flow: string, key: string, path: string): void {
  for (const { node } of nodes) {
    if (node.fields.ref !== flow) continue;
    const params = node.fields.params ?? {};
    if (Object.hasOwn(params as object, key)) continue;
    const message = `{{params.${key}}} has no value when ${JSON.stringify(node.id)} calls the flow: it gives ${Object.keys(params).join(', ') || 'no params'}.`;
    report({ code: 'template.unresolved_reference', path, message });
  }
}
