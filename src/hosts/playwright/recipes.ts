// For those who want no generated files: registers documents from a spec file of their own.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { findFiles } from '../../system/files/files.js';
import { openProject, type ProjectOptions } from './hostProject.js';
import { openHost, type RecipeTest, type SetupModule } from './recipeHost.js';
import { registerIn } from './registerDocuments.js';

export type SpecOptions = Omit<ProjectOptions, 'setup'> & {
  /** The setup module, as `import * as setup` gives it. */
  setup?: SetupModule;
};

/** Globs are relative to the spec file, the file that calls `recipes()`. */
export function registerRecipes(
  spec: string | undefined,
  glob: string | readonly string[],
  { test, setup = {}, ...options }: SpecOptions & { test: RecipeTest },
): void {
  if (spec === undefined) throw new Error('recipes() has to be called by a test file: its globs are relative to that file.');
  const files = findFiles(dirname(spec), [glob].flat(), createRequire(import.meta.url));
  if (files.length === 0) throw new Error(`No recipe matches ${JSON.stringify(glob)} in ${dirname(spec)}.`);
  registerIn({ ...openHost(openProject(spec, options), setup), test }, files);
}
