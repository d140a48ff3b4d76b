// Looks for template recipes in the places they may lie, in order of priority.
import { readdirSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { type Candidate, type Discovery, discoverRecipes, type Layer } from '../discoverRecipes.js';
import { resolveRecipe } from '../resolveRecipe.js';
import { isTemplateError } from '../templateError.js';
import { readTemplateFile, recipeName, type TemplateRoots, templateLibrary } from './templateFiles.js';

export type Places = TemplateRoots & {
  /** Files that are named one by one. */
  files?: readonly string[] | undefined;
};

export function discoverTemplates(places: Places): Discovery {
  const { userRoot, packagedRoot, files = [], cwd = process.cwd() } = places;
  const listed: readonly (readonly [Layer, readonly string[]])[] = [
    ['user', userRoot === undefined ? [] : recipesIn(userRoot)],
    ['adhoc', files.map((file) => resolve(cwd, file))],
    ['packaged', packagedRoot === undefined ? [] : recipesIn(packagedRoot)],
  ];
  return discoverRecipes(listed.flatMap(([layer, found]) => found.map((file) => candidateOf(file, layer, places))));
}

/** Only what lies there directly; JSON before Markdown. */
function recipesIn(root: string): string[] {
  try {
    const names = readdirSync(root).sort();
    return ['.json', '.md'].flatMap((ending) => names.filter((name) => extname(name) === ending).map((name) => join(root, name)));
  } catch {
    // ENOENT, ENOTDIR, EACCES: a place that is not there has no recipes.
    return [];
  }
}

function candidateOf(file: string, layer: Layer, places: Places): Candidate {
  const known = { name: recipeName(file), file, layer };
  try {
    const source = readTemplateFile(file, places);
    if (!source) return { ...known, problem: 'there is no such file' };
    const recipe = resolveRecipe(source, { library: templateLibrary(places), compat: places.compat === true });
    return { ...known, recipe, ...(source.diagnosis === undefined ? {} : { problem: source.diagnosis }) };
  } catch (thrown) {
    // One that cannot be loaded is one of them, and keeps the others from nothing.
    if (isTemplateError(thrown)) return { ...known, thrown: thrown.message };
    throw thrown;
  }
}
