// Checks that inputs are literals or typed descriptors, and that secrets are used only where they stay secret (spec §4.1).

import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { forbiddenKeys } from '../../engine/jsonPath.js';
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

export const inputRules: Rule = (context) => {
  const { recipe } = context.compiled;
  for (const [name, value] of recipe.inputs) {
    const path = joinPointer('/inputs', name);
    checkNames(context.report, { [name]: value }, '/inputs');
    if (isInputDescriptor(value)) checkDescriptor(context, value, path);
    else checkNested(context.report, value, path);
  }
  const secrets = recipe.inputs.size > 0 && [...recipe.inputs.values()].some(isSecret);
  if (!secrets && !context.traits.hasParams) return;
  for (const { node } of context.nodes) {
    if (node.fields.params !== undefined) checkNames(context.report, node.fields.params, joinPointer(node.pointer, 'params'));
    if (secrets) checkSecrets(context, node);
  }
};

export type InputDescriptor = { type: string } & Record<string, unknown>;

// A literal may have a key `type` too. A descriptor has a known type, or has only keys of descriptors.
export function isInputDescriptor(value: unknown): value is InputDescriptor {
  if (typeof value !== 'object' || value === null || typeof (value as { type?: unknown }).type !== 'string') return false;
  const { type } = value as InputDescriptor;
  return Object.hasOwn(inputTypes, type) || Object.keys(value).every((key) => descriptorFields.includes(key));
}

export function isSecret(value: unknown): boolean {
  return isInputDescriptor(value) && value.type === 'secret-ref';
}

function checkNames(report: Report, value: unknown, pointer: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const path = joinPointer(pointer, key);
    if (forbiddenKeys.has(key) && !Array.isArray(value))
      report({
        code: 'inputs.forbidden_name',
        path,
        message: `${JSON.stringify(key)} cannot be the name of an input or a param.`,
        hint: 'Rename it.',
      });
    else checkNames(report, inner, path);
  }
}

// Only a whole input can be a secret. Inside a literal its value would be ordinary data.
function checkNested(report: Report, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = joinPointer(path, key);
    if (isSecret(inner))
      report({
        code: 'inputs.invalid_secret_ref',
        path: at,
        message: 'Only a whole input can be a secret.',
        hint: 'Declare the secret as a separate input in "inputs".',
      });
    else checkNested(report, inner, at);
  }
}

function checkDescriptor({ report }: RuleContext, descriptor: InputDescriptor, path: string): void {
  const { type } = descriptor;
  for (const key of Object.keys(descriptor)) {
    if (!descriptorFields.includes(key)) report({ ...fieldProblem(key, descriptorFields), path: joinPointer(path, key) });
  }
  const isValid = inputTypes[Object.hasOwn(inputTypes, type) ? type : ''];
  if (!isValid) {
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
  if (!Object.hasOwn(descriptor, 'default') || isValid(descriptor.default)) return;
  const message = `The default of a ${type} cannot be ${JSON.stringify(descriptor.default)}.`;
  report({ code: 'inputs.invalid_default', path: joinPointer(path, 'default'), message });
}

function checkSecretRef(report: Report, descriptor: InputDescriptor, path: string): void {
  if (Object.hasOwn(descriptor, 'default')) {
    const message = 'A secret cannot have a default: its value must not be in the recipe.';
    report({ code: 'inputs.invalid_default', path: joinPointer(path, 'default'), message });
  }
  if (typeof descriptor.ref === 'string' && /^(env:[A-Za-z_]\w*|file:.+)$/.test(descriptor.ref)) return;
  const message = 'A secret-ref needs "ref": "env:NAME" or "file:path", from which its value is read.';
  report({
    code: 'inputs.invalid_secret_ref',
    path: Object.hasOwn(descriptor, 'ref') ? joinPointer(path, 'ref') : path,
    message,
  });
}

function checkSecrets(context: RuleContext, node: RecipeNode): void {
  const { inputs } = context.compiled.recipe;
  const allowed = context.declarationOf(node)?.secretFields ?? [];
  for (const [field, value] of Object.entries({ ...node.fields, intent: node.intent })) {
    for (const reference of referencesIn(value)) {
      const name = reference.startsWith('inputs.') ? reference.split('.')[1] : reference;
      if (!isSecret(inputs.get(name ?? '')) || allowed.includes(field)) continue;
      const places =
        allowed.length > 0
          ? `In ${node.action}, secrets are allowed in ${allowed.join(', ')} only.`
          : 'Secrets are allowed in ui.set_input.value, command.env and command.stdin.';
      const message = `{{${reference}}} is a secret, which is not allowed in ${JSON.stringify(field)}: the package records that field.`;
      context.report({ code: 'inputs.secret_misplaced', path: joinPointer(node.pointer, field), message, hint: places });
    }
  }
}
