// A recipe as it was written, made whole: imports read, references filled, what stands around the template folded into it.
import { expandImports } from './expandImports.js';
import { fillReferences } from './importReferences.js';
import {
  type Bindings,
  bindingsOf,
  extendChain,
  type Imported,
  type Library,
  type RecipeSource,
  readImports,
} from './recipeImports.js';
import { isExecutable } from './templateNode.js';
import { foldEnvelope, type Raw, type TemplateRecipe, toTemplateRecipe } from './templateRecipe.js';

export type Resolving = { library: Library; compat: boolean };

/** Undefined for what is no recipe; throws for imports that cannot be had. */
export function resolveRecipe(
  source: RecipeSource,
  resolving: Resolving,
  chain: readonly string[] = [],
): TemplateRecipe | undefined {
  const { file, raw } = source;
  const longer = extendChain(chain, file);
  if (!raw || !isExecutable(raw.template)) return undefined;
  const { library, compat } = resolving;
  const bindings = bindingsOf(raw);
  const imports = readImports(
    bindings ?? {},
    (from) => library(from, file),
    (found) => resolveRecipe(found, resolving, longer),
  );
  return (
    remembered(source, { imports, compat }) ??
    remember(source, { imports, compat }, whole(source, raw, { imports, compat, bindings }))
  );
}

type Parts = { imports: ReadonlyMap<string, Imported>; compat: boolean };

function whole(
  { name }: RecipeSource,
  raw: Raw,
  { imports, compat, bindings }: Parts & { bindings: Bindings | undefined },
): TemplateRecipe {
  const { imports: _, ...rest } = raw;
  const filled = fillReferences(rest, imports) as Record<string, unknown>;
  const template = expandImports(foldEnvelope(filled, { compat }), { imports, compat });
  return toTemplateRecipe(name, filled, { template, imports: bindings });
}

// A file that did not change is the same source, and a recipe is the same as long as all that it imports is.
const known = new WeakMap<RecipeSource, Parts & { recipe: TemplateRecipe }>();

function remembered(source: RecipeSource, { imports, compat }: Parts): TemplateRecipe | undefined {
  const before = known.get(source);
  if (!before || before.compat !== compat || before.imports.size !== imports.size) return undefined;
  const isSame = [...imports].every(([alias, { file, recipe }]) => {
    const other = before.imports.get(alias);
    return other?.recipe === recipe && other.file === file;
  });
  return isSame ? before.recipe : undefined;
}

function remember(source: RecipeSource, parts: Parts, recipe: TemplateRecipe): TemplateRecipe {
  known.set(source, { ...parts, recipe });
  return recipe;
}
