// Entry point of `recipewright/vitest`.

import type { RecipesOptions } from './hosts/vitest/documentModules.js';
import { expectPass } from './hosts/vitest/expectPass.js';
import { beginTestRun } from './hosts/vitest/plannedRecipes.js';
import { recipes } from './hosts/vitest/recipes.js';

export { expectPass, type RecipesOptions, recipes };

/** Adds recipes to any config, also to a function or a promise of one. With `test.projects` they get a project of their own. */
export function withRecipes<C extends object>(config: C, options: RecipesOptions): C {
  const given: unknown = config;
  if (isFunction(given)) return (async (...args: unknown[]) => withRecipes(await given(...args), options)) as object as C;
  if (given instanceof Promise) return given.then((resolved: object) => withRecipes(resolved, options)) as object as C;
  const { plugins } = config as { plugins?: unknown };
  return { ...config, plugins: [plugins ?? [], recipes(options)] };
}

function isFunction(value: unknown): value is (...args: unknown[]) => object | Promise<object> {
  return typeof value === 'function';
}

// The config of a run imports this before anything of it can fail: from here on, nothing that a former run left counts.
beginTestRun();
