// Checks that references in strings have values, and are used only where they are safe (spec §4.1).

import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { forbiddenKeys } from '../../engine/jsonPath.js';
import { referencesAt, referencesIn } from '../../engine/references.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { findCodeReferences } from '../../shell/findCodeReferences.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { isSecret } from './inputs.js';

export const referenceRules: Rule = (context) => {
  const { isLiteral } = context.compiled;
  if (isLiteral && !context.traits.hasBindings) return;
  for (const { node, flow } of context.nodes) {
    if (isLiteral && node.bindings.size === 0) continue;
    const { fields, intent, pointer } = node;
    const inFields = mentionsReference(fields);
    const inIntent = intent?.includes('{{') === true;
    if (inFields || node.bindings.size > 0) checkCode(context, node);
    if (!inFields && !inIntent) continue;
    const scope: ReferenceScope = { flow, readsOutputs: node.templates === 'outputs' };
    if (inFields) checkValue(context, scope, { value: fields, path: pointer });
    if (inIntent) checkValue(context, scope, { value: intent, path: joinPointer(pointer, 'intent') });
  }
  for (const { atom, pointer, flow, at } of context.atoms) {
    if (isLiteral || !mentionsReference(atom.value)) continue;
    const scope: ReferenceScope = { flow, readsOutputs: at?.node.templates === 'outputs' };
    const expected: PlacedValue = { value: atom.value, path: joinPointer(pointer, 'value') };
    checkValue(context, scope, expected);
    checkSecrets(context, expected);
  }
};

/** What a reference may name: params of this flow, and outputs if the node reads them. */
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
    const subject = at[0] === 'rw' ? `The value that "rw.in" reads into ${JSON.stringify(name)}` : `{{${name}}}`;
    const message = `${subject} is in a string that another interpreter reads (${reader}), so its value could become code.`;
    const hint = 'Pass the value to your own program, as an argument ("argv": ["node", "check.mjs", "{{…}}"]) or in its "env".';
    report({ code: 'command.reference_in_interpreter', path: joinPointer(pointer, ...at), message, hint });
  }
}

// The package records both sides of a comparison.
function checkSecrets({ compiled, report }: RuleContext, { value, path }: PlacedValue): void {
  for (const reference of referencesIn(value)) {
    const name = reference.startsWith('inputs.') ? reference.split('.')[1] : reference;
    if (!isSecret(compiled.recipe.inputs.get(name ?? ''))) continue;
    const message = `{{${reference}}} is a secret, which is not allowed in an assertion: the package records expected values.`;
    report({ code: 'inputs.secret_misplaced', path, message });
  }
}

function checkValue(context: RuleContext, scope: ReferenceScope, { value, path }: PlacedValue): void {
  if (typeof value === 'string') {
    if (value.includes('{{')) checkText(context, scope, { text: value, path });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const place = joinPointer(path, key);
    if (typeof inner === 'string' || typeof inner === 'object') checkValue(context, scope, { value: inner, path: place });
    if (referencesAt(key).length === 0) continue;
    const message = `The key ${JSON.stringify(key)} has a reference, but references are expanded in values only.`;
    context.report({ code: 'template.invalid_reference', path: place, message, hint: 'Write the key as plain text.' });
  }
}

function checkText(context: RuleContext, scope: ReferenceScope, { text, path }: { text: string; path: string }): void {
  const found = referencesAt(text);
  for (const reference of new Set(found.map(({ name }) => name))) checkReference(context, scope, { reference, path });
  checkMalformed(context, text, { path, starts: new Set(found.map(({ start }) => start)) });
}

function checkReference(context: RuleContext, scope: ReferenceScope, { reference, path }: PlacedReference): void {
  const [root = '', key = ''] = reference.split('.');
  const quoted = `{{${reference}}}`;
  if (reference.split('.').some((part) => forbiddenKeys.has(part))) {
    context.report({
      code: 'template.forbidden_key',
      path,
      message: `${quoted} names a key that is not allowed: __proto__, constructor or prototype.`,
    });
  } else if (root === 'outputs') {
    if (scope.readsOutputs) return;
    const message = `${quoted} names an output, which a reference in a Recipe v1 document cannot read.`;
    const hint =
      'Read the output with "rw": { "in": { "field": { "source": "node", "path": "$.a" } } }, or in an assertion with "source".';
    context.report({ code: 'template.output_reference', path, message, hint });
  } else if (root === 'params' && scope.flow !== undefined) checkParam(context, scope.flow, { key, path });
  else checkInput(context, { reference, path });
}

function checkInput({ compiled, wellKnown, report }: RuleContext, { reference, path }: PlacedReference): void {
  const { inputs } = compiled.recipe;
  const [root = '', key = ''] = reference.split('.');
  const name = root === 'inputs' ? key : root;
  if (root !== 'params' && (inputs.has(name) || wellKnown.has(name))) return;
  const message =
    root === 'params'
      ? `{{${reference}}} names a param, but only flows have params.`
      : `{{${reference}}} is not a declared input.`;
  const last = reference.split('.').at(-1) ?? reference;
  const hint = (): string => didYouMean(last, [...inputs.keys(), ...wellKnown]);
  report({ code: 'template.unresolved_reference', path, message, hint });
}

// A malformed reference would stay in the string unchanged. References of other template languages are not reported.
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
  const more = broken.length > 1 ? ` This string has ${broken.length - 1} more of them.` : '';
  const message = `${JSON.stringify(quoted)} is not a reference. References look like {{inputs.name}} or {{params.object.field}}.${more}`;
  report({ code: 'template.invalid_reference', path, message });
}

type PlacedParam = { key: string; path: string };
type Schema = {
  properties?: Record<string, { default?: unknown } | undefined>;
  required?: unknown;
  additionalProperties?: unknown;
};

// A flow declares the params that its references name, and every call passes them (spec §4.1, §8).
function checkParam(context: RuleContext, flow: string, { key, path }: PlacedParam): void {
  const schema = context.compiled.recipe.flows.get(flow)?.paramsSchema as Schema | undefined;
  const properties = schema?.properties ?? {};
  const required = Array.isArray(schema?.required) && schema.required.includes(key);
  const listed = Object.hasOwn(properties, key);
  if (listed && properties[key]?.default !== undefined) return;
  const { callers, callersWithoutParam } = findCallers(context, flow, key);
  const listsParams = Object.keys(properties).length > 0 || Array.isArray(schema?.required);
  const isUnknown = schema !== undefined && !listed && !required;
  if (isUnknown && (schema.additionalProperties === false || (listsParams && callersWithoutParam.length === callers.length))) {
    const suffix = callers.length > 0 ? ', and no call passes it' : '';
    const message = `{{params.${key}}} is not a param of the flow ${JSON.stringify(flow)}${suffix}.`;
    const hint = (): string => didYouMean(key, Object.keys(properties));
    context.report({ code: 'template.unresolved_reference', path, message, hint });
    return;
  }
  for (const node of callersWithoutParam) reportMissingParam(context, node, { key, path, isOptional: listed && !required });
}

function reportMissingParam(
  { report }: RuleContext,
  node: RecipeNode,
  { key, path, isOptional }: PlacedParam & { isOptional: boolean },
): void {
  const passed = Object.keys(node.fields.params ?? {}).join(', ') || 'no params';
  const message = `{{params.${key}}} has no value when the node ${JSON.stringify(node.id)} calls the flow: it passes ${passed}.`;
  if (!isOptional) {
    report({ code: 'template.unresolved_reference', path, message });
    return;
  }
  const call = node.fields.params === undefined ? node.pointer : joinPointer(node.pointer, 'params');
  const hint = `The node that uses the param fails. Pass ${JSON.stringify(key)}, or add a "default" to "paramsSchema".`;
  report({ code: 'template.unresolved_reference', severity: 'warning', path: call, message, hint });
}

// The calls of each flow, collected once per recipe, because a flow often has many params.
const callsByRecipe = new WeakMap<object, Map<unknown, RecipeNode[]>>();

type Callers = { callers: RecipeNode[]; callersWithoutParam: RecipeNode[] };

function findCallers({ nodes }: RuleContext, flow: string, key: string): Callers {
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
  return { callers, callersWithoutParam: callers.filter(({ fields }) => !Object.hasOwn((fields.params ?? {}) as object, key)) };
}
