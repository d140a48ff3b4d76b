// Finds template recipes in the configured folders, in order of priority.
import { readdirSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import type { TemplateRecipe } from '../model.js';
import { resolveRecipe } from '../resolveRecipe.js';
import { isTemplateError } from '../templateError.js';
import { createFileLibrary, readTemplateFile, type TemplateRoots, toRecipeName } from './loadTemplateRecipe.js';

export type TemplatePlaces = TemplateRoots & {
  /** Single files. */
  files?: readonly string[] | undefined;
};

export function discoverTemplates(places: TemplatePlaces): Discovery {
  const { userRoot, packagedRoot, files = [], cwd = process.cwd() } = places;
  const filesByOrigin: readonly (readonly [RecipeOrigin, readonly string[]])[] = [
    ['user', userRoot === undefined ? [] : listRecipeFiles(userRoot)],
    ['adhoc', files.map((file) => resolve(cwd, file))],
    ['packaged', packagedRoot === undefined ? [] : listRecipeFiles(packagedRoot)],
  ];
  return discoverRecipes(filesByOrigin.flatMap(([layer, paths]) => paths.map((file) => readCandidate(file, layer, places))));
}

/** Lists the recipe files directly in a directory, JSON before Markdown. */
function listRecipeFiles(root: string): string[] {
  try {
    const names = readdirSync(root).sort();
    return ['.json', '.md'].flatMap((ending) => names.filter((name) => extname(name) === ending).map((name) => join(root, name)));
  } catch {
    // ENOENT, ENOTDIR, EACCES: a directory that cannot be read has no recipes.
    return [];
  }
}

function readCandidate(file: string, layer: RecipeOrigin, places: TemplatePlaces): Candidate {
  const base = { name: toRecipeName(file), file, layer };
  try {
    const source = readTemplateFile(file, places);
    if (!source) return { ...base, problem: 'there is no such file' };
    const recipe = resolveRecipe(source, { library: createFileLibrary(places), compat: places.compat === true });
    return { ...base, recipe, ...(source.diagnosis === undefined ? {} : { problem: source.diagnosis }) };
  } catch (thrown) {
    // A recipe that cannot be loaded is listed with its error. The other recipes still load.
    if (isTemplateError(thrown)) return { ...base, thrown: thrown.message };
    throw thrown;
  }
}

// When several files have the same name, the first in order of priority counts, even when it is broken or disabled.

type RecipeOrigin = 'user' | 'adhoc' | 'packaged';

/** One recipe file. Candidates are in order of priority, JSON before Markdown within one folder. */
type Candidate = {
  name: string;
  file: string;
  layer: RecipeOrigin;
  recipe?: TemplateRecipe | undefined;
  problem?: string;
  thrown?: string;
};

export type Discovered = Candidate & {
  status: 'active' | 'invalid' | 'disabled';
  /** Only recipes in the user's own directory are tools. */
  isTool: boolean;
  /** The files of the same name that this file hides. */
  shadows: readonly string[];
};

export type Discovery = { recipes: ReadonlyMap<string, Discovered>; diagnostics: readonly string[] };

function discoverRecipes(candidates: readonly Candidate[]): Discovery {
  const byName = new Map<string, Candidate[]>();
  for (const candidate of candidates) byName.set(candidate.name, [...(byName.get(candidate.name) ?? []), candidate]);
  const recipes = new Map<string, Discovered>();
  const diagnostics: string[] = [];
  for (const [name, [first, ...others]] of byName) {
    if (!first) continue;
    const discovered = toDiscovered(first, others);
    recipes.set(name, discovered);
    diagnostics.push(...diagnose(discovered, others));
  }
  return { recipes, diagnostics };
}

function toDiscovered(first: Candidate, others: readonly Candidate[]): Discovered {
  const status = !first.recipe ? 'invalid' : first.recipe.disabled === true ? 'disabled' : 'active';
  const shadows = others.map(({ file }) => file);
  return { ...first, status, isTool: first.layer === 'user' && status === 'active', shadows };
}

function diagnose({ name, file, layer, status, problem, thrown }: Discovered, others: readonly Candidate[]): string[] {
  const lower = others.filter((other) => other.layer !== layer);
  const messages: string[] = [];
  if (thrown !== undefined) messages.push(`Failed to load recipe ${file}: ${thrown}`);
  else if (status === 'invalid') messages.push(`Invalid recipe: ${file}: ${problem ?? 'recipe must define template'}`);
  for (const other of others) {
    if (other.layer === layer && /\.md$/i.test(other.file))
      messages.push(`Markdown recipe ${other.file} is shadowed by JSON recipe ${file}`);
  }
  if (lower.length === 0) return messages;
  if (status === 'active') return [...messages, `Recipe ${name} shadows ${lower.length} lower-priority recipe(s)`];
  return [...messages, `Recipe ${name} is ${status} and blocks lower-priority recipes`];
}

/**
 * Returns the file to launch for a bare name, or the reason why no file can be launched. A broken recipe blocks others of its
 * name.
 */
export function launchable(name: string, { recipes }: Discovery): { file: string } | { refused: string } {
  const recipe = recipes.get(name);
  if (!recipe)
    return { refused: `There is no recipe ${JSON.stringify(name)}. Known recipes: ${[...recipes.keys()].join(', ') || 'none'}.` };
  if (recipe.status === 'active') return { file: recipe.file };
  const isDisabled = recipe.status === 'disabled';
  const message = isDisabled
    ? `Template recipe is disabled: ${recipe.file}`
    : `Template recipe must define template: ${recipe.file}`;
  const [blocked] = recipe.shadows;
  if (blocked === undefined) return { refused: message };
  const reason = isDisabled ? 'shadowed_disabled' : 'shadowed_invalid';
  return {
    refused: `${message} reason=${reason} active_path=${recipe.file} blocked_fallback=${blocked} hint=inspect_recipes_doctor`,
  };
}
