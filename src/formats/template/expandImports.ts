// Puts the templates of imported recipes in the place of the nodes that name them.
import type { Imported } from './recipeImports.js';
import { TemplateError } from './templateError.js';
import { isObject } from './templateNode.js';
import type { Layer } from './templateValues.js';

export type Expansion = { imports: ReadonlyMap<string, Imported>; compat: boolean };

type Pointer = readonly (string | number)[];

export function expandImports(value: unknown, expansion: Expansion, pointer: Pointer = ['template']): unknown {
  if (Array.isArray(value)) return value.map((step, index) => expandImports(step, expansion, [...pointer, index]));
  if (!isObject(value)) return value;
  const node = typeof value.name === 'string' && value.template === undefined ? embed(value, expansion, pointer) : value;
  // What was embedded has been expanded where it was read.
  const inner =
    node === value && node.template !== undefined
      ? { template: expandImports(node.template, expansion, [...pointer, 'template']) }
      : {};
  const recover = recoverOf(node, expansion, pointer);
  const made = { ...node, ...inner, ...recover };
  if (node !== value)
    markImport(made, [String(value.name), ...importPath(expansion.imports.get(String(value.name))?.recipe.template)]);
  return made;
}

// Beside the nodes and not in them: no author can write it, and nothing that is printed shows it.
const paths = new WeakMap<object, readonly string[]>();

/** The aliases that lead to the recipe whose template a node is, from the recipe around it. */
export function importPath(node: unknown): readonly string[] {
  return (isObject(node) && paths.get(node)) || [];
}

export function markImport<Node extends object>(node: Node, path: readonly string[]): Node {
  if (path.length > 0) paths.set(node, path);
  return node;
}

// The reference leaves the nodes of a recovery as they are, and so runs nothing there.
function recoverOf(node: Layer, expansion: Expansion, pointer: Pointer): Layer {
  if (expansion.compat || node.recover === undefined) return {};
  return { recover: expandImports(node.recover, expansion, [...pointer, 'recover']) };
}

function embed(node: Layer, { imports, compat }: Expansion, pointer: Pointer): Layer {
  const { name, defaults, values, ...own } = node;
  const found = imports.get(String(name));
  if (!found)
    throw new TemplateError('template.unknown_import', `Unknown recipe import: ${name}`, { pointer: [...pointer, 'name'] });
  const { template } = found.recipe;
  const whole = isObject(template) ? template : { template };
  const set = [layerOf(defaults), layerOf(values)];
  // For a template that is an object, the reference takes these two the other way round than it says.
  if (compat && isObject(template)) set.reverse();
  const layers = Object.assign({}, layerOf(whole.defaults), found.defaults, found.values, ...set) as Layer;
  const fixed = { ...layerOf(whole.values), ...found.values, ...layerOf(values) };
  return {
    ...{ ...whole, ...own, ...(Object.keys(layers).length > 0 ? { defaults: layers } : {}) },
    // The reference keeps them as defaults only, which every caller who happens to use the same name overrides.
    ...(!compat && Object.keys(fixed).length > 0 ? { values: fixed } : {}),
  };
}

function layerOf(value: unknown): Layer {
  return isObject(value) ? value : {};
}
