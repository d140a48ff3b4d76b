// A template recipe from its file, with everything it imports.
import { resolve } from 'node:path';
import type { Finding } from '../../../document/finding.js';
import { readTemplateFile, type TemplateRoots, templateLibrary } from '../files/templateFiles.js';
import { resolveRecipe } from '../resolveRecipe.js';
import type { TemplateRecipe } from '../templateRecipe.js';

export type LoadTemplateOptions = TemplateRoots;

export type LoadedTemplate = {
  file: string;
  /** Missing for what is no recipe. */
  recipe?: TemplateRecipe;
  /** Why it is none, where there is a reason to tell. */
  diagnosis?: string;
  /** The same with places, and what else was noticed; none in the manner of the reference. */
  findings: readonly Finding[];
};

/** Imports that cannot be had are thrown, in the words of the reference. */
export function loadTemplateRecipe(file: string, options: LoadTemplateOptions = {}): LoadedTemplate {
  const { cwd = process.cwd(), compat = false } = options;
  const path = resolve(cwd, file);
  const source = readTemplateFile(path, { compat });
  if (!source) return { file: path, diagnosis: `There is no file ${path}.`, findings: [] };
  const { diagnosis, findings = [] } = source;
  const recipe = resolveRecipe(source, { library: templateLibrary(options), compat });
  if (recipe) return { recipe, file: path, findings };
  return { file: path, findings, ...(diagnosis === undefined ? {} : { diagnosis }) };
}
