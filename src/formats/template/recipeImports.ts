// Finds, reads and resolves the recipes that a recipe imports.
import type { Finding } from '../../document/finding.js';
import type { ImportBinding, RawRecipe, TemplateRecipe } from './model.js';
import { isObject } from './model.js';
import { TemplateError } from './templateError.js';
import type { Layer } from './templateValues.js';

/** An authored recipe, or the reason why the file is not a recipe. */
export type RecipeSource = {
  file: string;
  name: string;
  raw?: RawRecipe | undefined;
  diagnosis?: string | undefined;
  /** The findings of the strict parser. */
  findings?: readonly Finding[] | undefined;
};

/** The prefix of a path in a folder outside the project, as in `template-root:user/review.json`. */
export const templateRootPrefix = 'template-root:';

/** Finds an import. Returns undefined when no such file exists. */
export type RecipeLibrary = (from: string, importer: string) => RecipeSource | undefined;

/** `defaults` and `values` are those of the import. The recipe can have its own defaults. */
export type ImportedRecipe = { file: string; recipe: TemplateRecipe; defaults: Layer; values: Layer };

export type ImportBindings = Readonly<Record<string, ImportBinding>>;

/** Returns undefined when `imports` is a list instead of an object, as in the reference implementation. */
export function parseImportBindings(raw: RawRecipe): ImportBindings | undefined {
  if (!isObject(raw.imports)) return undefined;
  return Object.fromEntries(Object.entries(raw.imports).map(([alias, binding]) => [alias, parseImportBinding(alias, binding)]));
}

function parseImportBinding(alias: string, binding: unknown): ImportBinding {
  if (!/^[A-Za-z0-9_.-]+$/.test(alias)) throw createImportError('invalid_alias', `Invalid recipe import alias: ${alias}`, alias);
  if (typeof binding === 'string') return binding;
  if (!isObject(binding)) throw createImportError('invalid_import', `Recipe import must be a string or object: ${alias}`, alias);
  const { from, defaults, values } = binding;
  if (typeof from !== 'string' || from.trim() === '')
    throw createImportError('invalid_import', `Recipe import must define from: ${alias}`, alias);
  return { from, ...(isObject(defaults) ? { defaults } : {}), ...(isObject(values) ? { values } : {}) };
}

/** Reads all imports of a recipe. `resolve` resolves an imported recipe with its own imports. */
export function readImports(
  bindings: ImportBindings,
  find: (from: string) => RecipeSource | undefined,
  resolve: (source: RecipeSource) => TemplateRecipe | undefined,
): Map<string, ImportedRecipe> {
  const imported = Object.entries(bindings).map(([alias, binding]): [string, ImportedRecipe] => {
    const { from, defaults = {}, values = {} } = typeof binding === 'string' ? { from: binding } : binding;
    const source = find(from);
    const recipe = source && resolve(source);
    if (!source || !recipe) throw createImportError('import_not_found', `Recipe import not found: ${alias}`, alias);
    return [alias, { file: source.file, recipe, defaults, values }];
  });
  return new Map(imported);
}

function createImportError(code: string, message: string, alias: string): TemplateError {
  return new TemplateError(`template.${code}`, message, { pointer: ['imports', alias] });
}

const maxImportDepth = 32;

/** @throws TemplateError when the imports form a cycle or are nested too deep */
export function extendChain(chain: readonly string[], file: string): readonly string[] {
  const extended = [...chain, file];
  const path = extended.join(' -> ');
  if (chain.includes(file)) throw new TemplateError('template.cyclic_import', `Cyclic recipe import: ${path}`);
  if (extended.length <= maxImportDepth) return extended;
  throw new TemplateError('template.import_depth', `Recipe import depth exceeds limit ${maxImportDepth}: ${path}`);
}

// Replaces each node that names an import with the template of the imported recipe.

export type Expansion = { imports: ReadonlyMap<string, ImportedRecipe>; compat: boolean };

type Pointer = readonly (string | number)[];

export function expandImports(value: unknown, expansion: Expansion, pointer: Pointer = ['template']): unknown {
  if (Array.isArray(value)) return value.map((step, index) => expandImports(step, expansion, [...pointer, index]));
  if (!isObject(value)) return value;
  const node = typeof value.name === 'string' && value.template === undefined ? embedImport(value, expansion, pointer) : value;
  // The template of an import is already expanded, since its own file was read first.
  const inner =
    node === value && node.template !== undefined
      ? { template: expandImports(node.template, expansion, [...pointer, 'template']) }
      : {};
  const recover = expandRecover(node, expansion, pointer);
  const expanded = { ...node, ...inner, ...recover };
  if (node !== value)
    setImportPath(expanded, [String(value.name), ...getImportPath(expansion.imports.get(String(value.name))?.recipe.template)]);
  return expanded;
}

// A map instead of a field of the node: an author cannot write the path, and no output contains it.
const importPaths = new WeakMap<object, readonly string[]>();

/** Returns the import aliases from the recipe that contains a node to the recipe whose template the node is. */
export function getImportPath(node: unknown): readonly string[] {
  return (isObject(node) && importPaths.get(node)) || [];
}

export function setImportPath<Node extends object>(node: Node, path: readonly string[]): Node {
  if (path.length > 0) importPaths.set(node, path);
  return node;
}

// The reference implementation does not expand the nodes of a recovery, so it does not run them.
function expandRecover(node: Layer, expansion: Expansion, pointer: Pointer): Layer {
  if (expansion.compat || node.recover === undefined) return {};
  return { recover: expandImports(node.recover, expansion, [...pointer, 'recover']) };
}

function embedImport(node: Layer, { imports, compat }: Expansion, pointer: Pointer): Layer {
  const { name, defaults, values, ...own } = node;
  const imported = imports.get(String(name));
  if (!imported)
    throw new TemplateError('template.unknown_import', `Unknown recipe import: ${name}`, { pointer: [...pointer, 'name'] });
  const { template } = imported.recipe;
  const importedNode = isObject(template) ? template : { template };
  const nodeLayers = [toLayer(defaults), toLayer(values)];
  // For a template that is an object, the reference implementation swaps these two, although its document says otherwise.
  if (compat && isObject(template)) nodeLayers.reverse();
  const layers = Object.assign({}, toLayer(importedNode.defaults), imported.defaults, imported.values, ...nodeLayers) as Layer;
  const fixed = { ...toLayer(importedNode.values), ...imported.values, ...toLayer(values) };
  return {
    ...importedNode,
    ...own,
    ...(Object.keys(layers).length > 0 ? { defaults: layers } : {}),
    // The reference implementation keeps them as defaults, so a caller overrides them by using the same name.
    ...(!compat && Object.keys(fixed).length > 0 ? { values: fixed } : {}),
  };
}

function toLayer(value: unknown): Layer {
  return isObject(value) ? value : {};
}
