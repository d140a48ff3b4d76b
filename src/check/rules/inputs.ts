// Inputs are literals or typed descriptors, and secrets go only where they stay secret (spec §4.1).

import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { referencesIn } from '../../engine/references.js';
import { fieldProblem } from '../../formats/classic/shapeFindings.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import type { Report, Rule, RuleContext } from '../ruleContext.js';

const inputTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  json: () => true,
  'secret-ref': () => false,
};
const descriptorFields = ['type', 'default', 'description', 'ref', 'required', 'enum', 'title'];

export const inputRules: Rule = (checked) => {
  const { recipe } = checked.compiled;
  for (const [name, value] of recipe.inputs) {
    const path = joinPointer('/inputs', name);
    checkNames(checked.report, { [name]: value }, '/inputs');
    if (isInputDescriptor(value)) checkDescriptor(checked, value, path);
    else checkNested(checked.report, value, path);
  }
  const secrets = recipe.inputs.size > 0 && [...recipe.inputs.values()].some(isSecret);
  if (!secrets && !checked.traits.params) return;
  for (const { node } of checked.nodes) {
    if (node.fields.params !== undefined) checkNames(checked.report, node.fields.params, joinPointer(node.pointer, 'params'));
    if (secrets) checkSecrets(checked, node);
  }
};

export type InputDescriptor = { type: string } & Record<string, unknown>;

// A literal may have a key `type` of its own: a descriptor says a type we know, or has nothing but a descriptor's keys.
export function isInputDescriptor(value: unknown): value is InputDescriptor {
  if (typeof value !== 'object' || value === null || typeof (value as { type?: unknown }).type !== 'string') return false;
  const { type } = value as InputDescriptor;
  return Object.hasOwn(inputTypes, type) || Object.keys(value).every((key) => descriptorFields.includes(key));
}

export function isSecret(value: unknown): boolean {
  return isInputDescriptor(value) && value.type === 'secret-ref';
}

const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

function checkNames(report: Report, value: unknown, pointer: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const path = joinPointer(pointer, key);
    if (forbidden.has(key) && !Array.isArray(value))
      report({
        code: 'inputs.forbidden_name',
        path,
        message: `${JSON.stringify(key)} cannot be the name of an input or a param.`,
        hint: 'Rename it.',
      });
    else checkNames(report, inner, path);
  }
}

// Only a whole input can be a secret: inside of a literal its value would be data like any other.
function checkNested(report: Report, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = joinPointer(path, key);
    if (isSecret(inner))
      report({
        code: 'inputs.invalid_secret_ref',
        path: at,
        message: 'Only a whole input can be a secret.',
        hint: 'Give it a name of its own in "inputs".',
      });
    else checkNested(report, inner, at);
  }
}

function checkDescriptor({ report }: RuleContext, descriptor: InputDescriptor, path: string): void {
  const { type } = descriptor;
  for (const key of Object.keys(descriptor)) {
    if (!descriptorFields.includes(key)) report({ ...fieldProblem(key, descriptorFields), path: joinPointer(path, key) });
  }
  const fits = inputTypes[Object.hasOwn(inputTypes, type) ? type : ''];
  if (!fits) {
    const message = `There is no input type ${JSON.stringify(type)}.`;
    report({
      code: 'inputs.invalid_type',
      path: joinPointer(path, 'type'),
      message,
      hint: () => didYouMean(type, Object.keys(inputTypes)),
    });
    return;
  }
  if (type === 'secret-ref') {
    checkSecretRef(report, descriptor, path);
    return;
  }
  if (!Object.hasOwn(descriptor, 'default') || fits(descriptor.default)) return;
  const message = `The default of a ${type} cannot be ${JSON.stringify(descriptor.default)}.`;
  report({ code: 'inputs.invalid_default', path: joinPointer(path, 'default'), message });
}

function checkSecretRef(report: Report, descriptor: InputDescriptor, path: string): void {
  if (Object.hasOwn(descriptor, 'default')) {
    const message = 'A secret has no default: its value must not stand in the recipe.';
    report({ code: 'inputs.invalid_default', path: joinPointer(path, 'default'), message });
  }
  if (typeof descriptor.ref === 'string' && /^(env:[A-Za-z_]\w*|file:.+)$/.test(descriptor.ref)) return;
  const message = 'A secret-ref needs "ref": "env:NAME" or "file:path", where its value is read from.';
  report({
    code: 'inputs.invalid_secret_ref',
    path: Object.hasOwn(descriptor, 'ref') ? joinPointer(path, 'ref') : path,
    message,
  });
}

function checkSecrets(checked: RuleContext, node: RecipeNode): void {
  const { inputs } = checked.compiled.recipe;
  const allowed = checked.declarationOf(node)?.secretFields ?? [];
  for (const [field, value] of Object.entries({ ...node.fields, intent: node.intent })) {
    for (const reference of referencesIn(value)) {
      const name = reference.startsWith('inputs.') ? reference.split('.')[1] : reference;
      if (!isSecret(inputs.get(name ?? '')) || allowed.includes(field)) continue;
      const places =
        allowed.length > 0
          ? `Of ${node.action} only ${allowed.join(', ')} may.`
          : 'A secret may go into ui.set_input.value, command.env and command.stdin.';
      const message = `{{${reference}}} is a secret and may not go into ${JSON.stringify(field)}, which is recorded.`;
      checked.report({ code: 'inputs.secret_misplaced', path: joinPointer(node.pointer, field), message, hint: places });
    }
  }
}
