// References to inputs that have no value, found before anything runs: in the middle of a run they would leave half of it done.
import { listAtoms, listNodesOnce, type NodeInGraph, type PlacedAtom } from '../check/recipeNodes.js';
import { isInputDescriptor, isSecret } from '../check/rules/inputs.js';
import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/jsonPointer.js';
import { parsePath, readKeys } from '../engine/jsonPath.js';
import { referencesAt } from '../engine/references.js';
import type { CompiledRecipe, Recipe } from '../recipe/recipe.js';
import { canRun } from './canRun.js';

type Values = Readonly<Record<string, unknown>>;
type Mention = { keys: readonly string[]; written: string; path: string };

export function unfilledReferences(compiled: CompiledRecipe, values: Values): Finding[] {
  const { recipe, origin, isLiteral = false } = compiled;
  if (isLiteral && [...recipe.inputs].every(([name, input]) => Object.hasOwn(values, name) || isSecret(input))) return [];
  const running = canRun(recipe, values);
  const nodes = listNodesOnce(recipe).filter(({ node }) => running.nodes.has(node));
  const atoms = listAtoms(nodes, compiled).filter(({ use, flow = '' }) => use !== 'postcondition' || running.flows.has(flow));
  const mentions = [...gatesOf(recipe), ...nodes.flatMap(inNode), ...atoms.flatMap(inAtom)];
  return mentions.flatMap(({ keys, written, path }) => {
    const told = problemOf(keys, recipe.inputs, values);
    if (told === undefined) return [];
    const finding = { code: 'template.unresolved_reference', severity: 'error' as const, path, place: origin(path) };
    return [{ ...finding, message: `${written} has no value: ${told.why}.`, hint: told.hint }];
  });
}

// What is required and missing is told of at its declaration, and the rules know of names that nobody declares.
function problemOf(
  keys: readonly string[],
  declared: Recipe['inputs'],
  values: Values,
): { why: string; hint: string } | undefined {
  const [name = '', ...rest] = keys;
  const input = declared.get(name);
  if (!declared.has(name) || isSecret(input) || readKeys(values, keys).found) return undefined;
  if (Object.hasOwn(values, name)) {
    const why = `the input ${JSON.stringify(name)} is ${show(values[name])}, in which there is no ${JSON.stringify(rest.join('.'))}`;
    return { why, hint: 'Refer to what is there, or give another value.' };
  }
  if (!isInputDescriptor(input) || input.required !== false) return undefined;
  const gate = JSON.stringify({ source: 'inputs', path: `$.${name}`, operator: 'exists' });
  const hint = `Give it by --input ${name}=…, add a "default", or let the node run only when it is given: "when": ${gate}.`;
  return { why: `the input ${JSON.stringify(name)} is optional and was not given`, hint };
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function gatesOf({ preConditions }: Recipe): Mention[] {
  return preConditions.flatMap(({ params, pointer }) => inValue(params, joinPointer(pointer, 'params')));
}

function inNode({ node }: NodeInGraph): Mention[] {
  const bound = [...node.bindings].flatMap(([field, { source, path = '$' }]) => {
    const keys = parsePath(path) ?? [];
    const at = joinPointer(node.pointer, 'rw', 'in', field, 'path');
    return source === 'inputs' && keys.length > 0 ? [{ keys, written: `inputs ${path}`, path: at }] : [];
  });
  return [...inValue(node.fields, node.pointer), ...bound];
}

function inAtom({ atom: { value, param }, pointer, flow }: PlacedAtom): Mention[] {
  const found = inValue(value, joinPointer(pointer, 'value'));
  // Inside a flow it may be one of the flow's params.
  if (param === undefined || flow !== undefined) return found;
  return [...found, { keys: [param], written: `"param": ${JSON.stringify(param)}`, path: joinPointer(pointer, 'param') }];
}

function inValue(value: unknown, path: string): Mention[] {
  if (typeof value === 'string') return referencesAt(value).flatMap(({ name }) => inputNamed(name, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => inValue(inner, joinPointer(path, key)));
}

function inputNamed(name: string, path: string): Mention[] {
  const [root = '', ...rest] = name.split('.');
  if (root === 'params' || root === 'outputs') return [];
  return [{ keys: root === 'inputs' ? rest : [root, ...rest], written: `{{${name}}}`, path }];
}
