// Finds, reads and resolves the recipes that a recipe imports.
import type { Finding } from '../../document/finding.js';
import type { ImportBinding, RawRecipe, TemplateRecipe } from './model.js';
import { isObject } from './model.js';
import { TemplateError } from './templateError.js';
import type { Layer } from './templateValues.js';

/** One recipe as its author wrote it, or why the file is not a recipe. */
export type RecipeSource = {
  file: string;
  name: string;
  raw?: RawRecipe | undefined;
  diagnosis?: string | undefined;
  /** The findings of the strict parser. */
  findings?: readonly Finding[] | undefined;
};

/** Prefix of a path in a place outside the project, as in `template-root:user/review.json`. */
export const templateRootPrefix = 'template-root:';

/** Finds an import; undefined when there is no such file. */
export type RecipeLibrary = (from: string, importer: string) => RecipeSource | undefined;

/** `defaults` and `values` of the import. The recipe has defaults of its own. */
export type ImportedRecipe = { file: string; recipe: TemplateRecipe; defaults: Layer; values: Layer };

export type ImportBindings = Readonly<Record<string, ImportBinding>>;

/** A list instead of an object means no imports, as in the reference. */
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

/** `resolve` resolves an imported recipe with its own imports. */
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

/** Refuses an import that leads back to its own file, and one that is too deep. */
export function extendChain(chain: readonly string[], file: string): readonly string[] {
  const longer = [...chain, file];
  const path = longer.join(' -> ');
  if (chain.includes(file)) throw new TemplateError('template.cyclic_import', `Cyclic recipe import: ${path}`);
  if (longer.length <= maxImportDepth) return longer;
  throw new TemplateError('template.import_depth', `Recipe import depth exceeds limit ${maxImportDepth}: ${path}`);
}

// Replaces the nodes that name an import by the template of the imported recipe.

export type Expansion = { imports: ReadonlyMap<string, ImportedRecipe>; compat: boolean };

type Pointer = readonly (string | number)[];

export function expandImports(value: unknown, expansion: Expansion, pointer: Pointer = ['template']): unknown {
  if (Array.isArray(value)) return value.map((step, index) => expandImports(step, expansion, [...pointer, index]));
  if (!isObject(value)) return value;
  const node = typeof value.name === 'string' && value.template === undefined ? embedImport(value, expansion, pointer) : value;
  // An imported template was expanded when its own file was read.
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

// A map beside the nodes instead of a field: no author can write it, and no output shows it.
const importPaths = new WeakMap<object, readonly string[]>();

/** The aliases from the recipe around a node to the one whose template the node is. */
export function getImportPath(node: unknown): readonly string[] {
  return (isObject(node) && importPaths.get(node)) || [];
}

export function setImportPath<Node extends object>(node: Node, path: readonly string[]): Node {
  if (path.length > 0) importPaths.set(node, path);
  return node;
}

// The reference does not expand the nodes of a recovery, and so runs nothing there.
function expandRecover(node: Layer, expansion: Expansion, pointer: Pointer): Layer {
  if (expansion.compat || node.recover === undefined) return {};
  return { recover: expandImports(node.recover, expansion, [...pointer, 'recover']) };
}

function embedImport(node: Layer, { imports, compat }: Expansion, pointer: Pointer): Layer {
  const { name, defaults, values, ...own } = node;
  const found = imports.get(String(name));
  if (!found)
    throw new TemplateError('template.unknown_import', `Unknown recipe import: ${name}`, { pointer: [...pointer, 'name'] });
  const { template } = found.recipe;
  const importedNode = isObject(template) ? template : { template };
  const nodeLayers = [toLayer(defaults), toLayer(values)];
  // For a template that is an object, the reference swaps these two, against its own document.
  if (compat && isObject(template)) nodeLayers.reverse();
  const layers = Object.assign({}, toLayer(importedNode.defaults), found.defaults, found.values, ...nodeLayers) as Layer;
  const fixed = { ...toLayer(importedNode.values), ...found.values, ...toLayer(values) };
  return {
    ...importedNode,
    ...own,
    ...(Object.keys(layers).length > 0 ? { defaults: layers } : {}),
    // The reference keeps them as defaults, which a caller overrides who happens to use the same name.
    ...(!compat && Object.keys(fixed).length > 0 ? { values: fixed } : {}),
  };
}

function toLayer(value: unknown): Layer {
  return isObject(value) ? value : {};
}
