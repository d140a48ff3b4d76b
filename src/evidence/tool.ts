// Who ran the recipe; the build puts the package's version here.
declare const RECIPEWRIGHT_VERSION: string | undefined;

export const tool = { name: 'recipewright', version: typeof RECIPEWRIGHT_VERSION === 'string' ? RECIPEWRIGHT_VERSION : 'source' };
