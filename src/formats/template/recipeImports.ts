// The recipes a recipe imports, found, read and resolved in their turn.

import type { Finding } from '../../document/finding.js';
import { TemplateError } from './templateError.js';
import { isObject } from './templateNode.js';
import type { ImportBinding, Raw, TemplateRecipe } from './templateRecipe.js';
import type { Layer } from './templateValues.js';

/** One recipe as its author wrote it, or why it cannot be one. */
export type RecipeSource = {
  file: string;
  name: string;
  raw?: Raw | undefined;
  diagnosis?: string | undefined;
  /** What was noticed when it was read strictly. */
  findings?: readonly Finding[] | undefined;
};

/** Asks a resolver for a place outside of the project, as in `template-root:user/review.json`. */
export const rootPrefix = 'template-root:';

/** Where imports are found; undefined when there is no such file. */
export type Library = (from: string, importer: string) => RecipeSource | undefined;

/** `defaults` and `values` are those of the import itself; the recipe has defaults of its own. */
export type Imported = { file: string; recipe: TemplateRecipe; defaults: Layer; values: Layer };

export type Bindings = Readonly<Record<string, ImportBinding>>;

/** A list in place of an object is no imports at all, as the reference has it. */
export function bindingsOf(raw: Raw): Bindings | undefined {
  if (!isObject(raw.imports)) return undefined;
  return Object.fromEntries(Object.entries(raw.imports).map(([alias, binding]) => [alias, bindingOf(alias, binding)]));
}

function bindingOf(alias: string, binding: unknown): ImportBinding {
  if (!/^[A-Za-z0-9_.-]+$/.test(alias)) throw wrong('invalid_alias', `Invalid recipe import alias: ${alias}`, alias);
  if (typeof binding === 'string') return binding;
  if (!isObject(binding)) throw wrong('invalid_import', `Recipe import must be a string or object: ${alias}`, alias);
  const { from, defaults, values } = binding;
  if (typeof from !== 'string' || from.trim() === '')
    throw wrong('invalid_import', `Recipe import must define from: ${alias}`, alias);
  return { from, ...(isObject(defaults) ? { defaults } : {}), ...(isObject(values) ? { values } : {}) };
}

/** `resolve` makes a recipe of what was found, with the imports of its own. */
export function readImports(
  bindings: Bindings,
  find: (from: string) => RecipeSource | undefined,
  resolve: (source: RecipeSource) => TemplateRecipe | undefined,
): Map<string, Imported> {
  const imported = Object.entries(bindings).map(([alias, binding]): [string, Imported] => {
    const { from, defaults = {}, values = {} } = typeof binding === 'string' ? { from: binding } : binding;
    const source = find(from);
    const recipe = source && resolve(source);
    if (!source || !recipe) throw wrong('import_not_found', `Recipe import not found: ${alias}`, alias);
    return [alias, { file: source.file, recipe, defaults, values }];
  });
  return new Map(imported);
}

function wrong(code: string, message: string, alias: string): TemplateError {
  return new TemplateError(`template.${code}`, message, { pointer: ['imports', alias] });
}

const deepestImport = 32;

/** Refuses a file that leads back to itself, or too far down. */
export function extendChain(chain: readonly string[], file: string): readonly string[] {
  const longer = [...chain, file];
  const way = longer.join(' -> ');
  if (chain.includes(file)) throw new TemplateError('template.cyclic_import', `Cyclic recipe import: ${way}`);
  if (longer.length <= deepestImport) return longer;
  throw new TemplateError('template.import_depth', `Recipe import depth exceeds limit ${deepestImport}: ${way}`);
}
