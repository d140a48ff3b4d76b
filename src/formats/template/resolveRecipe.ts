// Resolves a recipe: reads its imports, replaces references to them, and moves the fields of the recipe into its template.

import { foldEnvelope, isExecutable, isObject, type RawRecipe, type TemplateRecipe, toTemplateRecipe } from './model.js';
import {
  expandImports,
  extendChain,
  type ImportBindings,
  type ImportedRecipe,
  parseImportBindings,
  type RecipeLibrary,
  type RecipeSource,
  readImports,
} from './recipeImports.js';
import { TemplateError } from './templateError.js';

export type ResolveContext = { library: RecipeLibrary; compat: boolean };

/**
 * Returns undefined for a value that is not a recipe.
 * @throws TemplateError when an import cannot be resolved
 */
export function resolveRecipe(
  source: RecipeSource,
  context: ResolveContext,
  chain: readonly string[] = [],
): TemplateRecipe | undefined {
  const { file, raw } = source;
  const extendedChain = extendChain(chain, file);
  if (!raw || !isExecutable(raw.template)) return undefined;
  const { library, compat } = context;
  const bindings = parseImportBindings(raw);
  const imports = readImports(
    bindings ?? {},
    (from) => library(from, file),
    (importedSource) => resolveRecipe(importedSource, context, extendedChain),
  );
  return (
    readCachedRecipe(source, { imports, compat }) ??
    cacheRecipe(source, { imports, compat }, buildRecipe(source, raw, { imports, compat, bindings }))
  );
}

type RecipeParts = { imports: ReadonlyMap<string, ImportedRecipe>; compat: boolean };

function buildRecipe(
  { name }: RecipeSource,
  raw: RawRecipe,
  { imports, compat, bindings }: RecipeParts & { bindings: ImportBindings | undefined },
): TemplateRecipe {
  const { imports: _, ...rest } = raw;
  const filled = fillReferences(rest, imports) as Record<string, unknown>;
  const template = expandImports(foldEnvelope(filled, { compat }), { imports, compat });
  return toTemplateRecipe(name, filled, { template, imports: bindings });
}

// An unchanged file has the same source object, so a cached recipe is valid as long as the recipes of its imports are the same.
const recipeCache = new WeakMap<RecipeSource, RecipeParts & { recipe: TemplateRecipe }>();

function readCachedRecipe(source: RecipeSource, { imports, compat }: RecipeParts): TemplateRecipe | undefined {
  const cached = recipeCache.get(source);
  if (!cached || cached.compat !== compat || cached.imports.size !== imports.size) return undefined;
  const isSame = [...imports].every(([alias, { file, recipe }]) => {
    const other = cached.imports.get(alias);
    return other?.recipe === recipe && other.file === file;
  });
  return isSame ? cached.recipe : undefined;
}

function cacheRecipe(source: RecipeSource, parts: RecipeParts, recipe: TemplateRecipe): TemplateRecipe {
  recipeCache.set(source, { ...parts, recipe });
  return recipe;
}

// Replaces references to imports, such as {alias.defaults.key}, when a recipe is loaded and before its template is read.

type ImportMap = ReadonlyMap<string, ImportedRecipe>;
type Pointer = readonly (string | number)[];

/** Replaces references in values, never in keys. */
function fillReferences(value: unknown, imports: ImportMap, pointer: Pointer = []): unknown {
  if (imports.size === 0) return value;
  if (typeof value === 'string') return fillString(value, imports, pointer);
  if (Array.isArray(value)) return value.map((item, index) => fillReferences(item, imports, [...pointer, index]));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillReferences(item, imports, [...pointer, key])]));
}

// A string that is only one reference becomes the referenced value, with its type.
function fillString(text: string, imports: ImportMap, pointer: Pointer): unknown {
  if (!text.includes('{')) return text;
  const onlyContent = /^\{([^{}]+)\}$/.exec(text)?.[1];
  if (onlyContent !== undefined) {
    const found = evaluateReference(onlyContent, imports, pointer);
    return found ? found.value : text;
  }
  return text.replace(/\{([^{}]+)\}/g, (placeholder, content: string) => {
    const found = evaluateReference(content, imports, pointer);
    return found ? String(found.value ?? '') : placeholder;
  });
}

type ReferenceValue = { value: unknown };

/** Returns undefined for a placeholder of the command template, which does not refer to an import. */
function evaluateReference(content: string, imports: ImportMap, pointer: Pointer): ReferenceValue | undefined {
  const [, conditionPath = '', yes = '', no = ''] = /^([\w.-]+)\?(.*?):(.*)$/s.exec(content) ?? [];
  const condition = readReference(conditionPath, imports);
  if (condition) return parseLiteral(isReferenceTruthy(condition.value) ? yes : no, imports);
  const [, optionalPath = '', fallback = ''] = /^([\w.-]+)=(.*)$/s.exec(content) ?? [];
  const optional = readReference(optionalPath, imports);
  if (optional) return optional.value === undefined || optional.value === null ? parseLiteral(fallback, imports) : optional;
  const found = readReference(content, imports);
  if (found && found.value === undefined) {
    throw new TemplateError('template.unknown_reference', `Unknown recipe import reference: ${content}`, { pointer });
  }
  return found;
}

function parseLiteral(text: string, imports: ImportMap): ReferenceValue {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  return quoted ? { value: quoted[2] } : (readReference(text, imports) ?? { value: text });
}

/** Returns `value: undefined` when the import exists but does not have the key. */
function readReference(path: string, imports: ImportMap): ReferenceValue | undefined {
  for (const [alias, { file, recipe, defaults, values }] of imports) {
    if (!path.startsWith(`${alias}.`)) continue;
    const [section, ...keys] = path.slice(alias.length + 1).split('.');
    if (section === 'name' && keys.length === 0) return { value: recipe.name };
    if (section === 'file' && keys.length === 0) return { value: file };
    if (section === 'defaults') return { value: readPath({ ...(recipe.defaults as object | undefined), ...defaults }, keys) };
    if (section === 'values') return { value: readPath(values, keys) };
  }
  return undefined;
}

function readPath(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}

// The rules differ from those of the command template: here the string "false" is true.
function isReferenceTruthy(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== '';
}
