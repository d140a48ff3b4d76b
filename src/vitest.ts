// Entry point of `recipewright/vitest`.
import { expectPass } from './hosts/vitest/expectPass.js';
import { type RecipesOptions, recipes } from './hosts/vitest/recipes.js';

export { expectPass, type RecipesOptions, recipes };

/** Adds recipes to any config, whatever else it holds. */
export function withRecipes<C extends object>(config: C, options: RecipesOptions): C {
  const { plugins } = config as { plugins?: unknown };
  return { ...config, plugins: [plugins ?? [], recipes(options)] };
}
