// One two-line test file per recipe, with a source map that names the JSON: Playwright finds the recipe by its own name.
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findFiles, moduleTypeOf, pruneFiles, writeIfDifferent } from '../../system/files.js';

export type ShimOptions = { root: string; testDir: string; patterns: readonly string[]; setup?: string };

const registerModule = new URL('./playwright-register.js', import.meta.url);

export function writeShims({ root, testDir, patterns, setup }: ShimOptions): void {
  const recipes = findFiles(root, patterns, createRequire(import.meta.url));
  if (recipes.length === 0)
    throw new Error(`No recipe matches ${patterns.map((pattern) => JSON.stringify(pattern)).join(', ')} in ${root}.`);
  const type = moduleTypeOf(setup ?? root);
  const kept = new Set<string>();
  const keep = (file: string, content: string): void => {
    kept.add(file);
    writeIfDifferent(file, content);
  };
  keep(join(testDir, 'package.json'), `${JSON.stringify({ type })}\n`);
  for (const recipe of recipes) {
    const shim = join(testDir, shimName(relative(root, recipe)));
    keep(shim, shimText({ recipe, root, setup, type, name: `${shim.split(/[\\/]/).at(-1)}.map` }));
    keep(`${shim}.map`, mapText(shim, recipe));
  }
  pruneFiles(testDir, kept);
}

// One name per recipe, without what a sourceMappingURL or a relative path cannot hold: `recipes/a b.recipe.json` is `recipes/a%20b.recipe.js`.
function shimName(recipe: string): string {
  const encoded = recipe
    .split(/[\\/]/)
    .map((part) => (part === '..' ? '%2E%2E' : encodeURIComponent(part).replace(/[!'()*~]/g, hex)));
  return encoded.join('/').replace(/(\.recipe)?\.json$/, (_, recipe?: string) => (recipe ? '.recipe.js' : '.json.js'));
}

function hex(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

type Shim = { recipe: string; root: string; setup: string | undefined; type: 'module' | 'commonjs'; name: string };

function shimText({ recipe, root, setup, type, name }: Shim): string {
  const text = JSON.stringify;
  const call = `registerRecipe(${text(recipe)}, ${text(root)}, ${setup === undefined ? '{}' : 'setup'});`;
  const lines =
    type === 'module'
      ? [
          `import { registerRecipe } from ${text(registerModule.href)};`,
          ...(setup ? [`import * as setup from ${text(pathToFileURL(setup).href)};`] : []),
        ]
      : [
          `const { registerRecipe } = require(${text(fileURLToPath(registerModule))});`,
          ...(setup ? [`const setup = require(${text(setup)});`] : []),
        ];
  return `${[...lines, call, `//# sourceMappingURL=${name}`].join('\n')}\n`;
}

function mapText(shim: string, recipe: string): string {
  const source = relative(dirname(shim), recipe).replaceAll('\\', '/');
  return `${JSON.stringify({ version: 3, file: shim.split(/[\\/]/).at(-1), sources: [source], names: [], mappings: 'AAAA' })}\n`;
}
