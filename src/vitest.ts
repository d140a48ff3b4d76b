// Entry point of `recipewright/vitest`.

import type { RecipesOptions } from './hosts/vitest/documentModules.js';
import { expectPass } from './hosts/vitest/expectPass.js';
import { beginTestRun } from './hosts/vitest/plannedRecipes.js';
import { recipes } from './hosts/vitest/recipes.js';

export { expectPass, type RecipesOptions, recipes };

/** Adds recipes to a config, which may be an object, a function or a promise. With `test.projects`, recipes get their own project. */
export function withRecipes<C extends object>(config: C, options: RecipesOptions): C {
  const anyConfig: unknown = config;
  if (isFunction(anyConfig)) return (async (...args: unknown[]) => withRecipes(await anyConfig(...args), options)) as object as C;
  if (anyConfig instanceof Promise) return anyConfig.then((resolved: object) => withRecipes(resolved, options)) as object as C;
  const { plugins } = config as { plugins?: unknown };
  return { ...config, plugins: [plugins ?? [], recipes(options)] };
}

function isFunction(value: unknown): value is (...args: unknown[]) => object | Promise<object> {
  return typeof value === 'function';
}

// A config imports this module before the config can fail, so the results of an earlier run become unknown in any case.
beginTestRun();
