// Writes one copy of each variant per round. The names make Playwright run the variants in turn: 007-0-steps, 007-1-recipe,
// 007-2-native.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const here = import.meta.dirname;
export const generated = path.join(here, 'generated');

/**
 * `specs` is the folder of the measured specs. `other` is the dist folder of a second build, which then also runs in each round.
 */
export function generate(rounds, other, specs = 'order') {
  const variants = ['native', 'steps', 'recipe', ...(other ? ['other'] : [])];
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated);
  if (other) writeFileSync(path.join(generated, 'otherSetup.ts'), otherSetup(other));
  for (let round = 0; round < rounds; round++) {
    for (const [turn, variant] of orderVariants(variants, round).entries()) {
      write(`${String(round).padStart(4, '0')}-${turn}-${variant}`, { variant, specs, other });
    }
  }
  return variants;
}

// Changes the order in each round, so that each variant has each position equally often.
function orderVariants(variants, round) {
  const shift = round % variants.length;
  const rotated = [...variants.slice(shift), ...variants.slice(0, shift)];
  return Math.floor(round / variants.length) % 2 === 0 ? rotated : rotated.reverse();
}

// Projects do not share workers. So one project has an entry file for each copy, which imports a spec or the shim of a recipe.
function write(name, { variant, specs, other }) {
  const isSpec = variant === 'native' || variant === 'steps';
  const copy = path.join(generated, isSpec ? `${name}.ts` : `${name}.recipe.json`);
  cpSync(path.join(here, specs, isSpec ? `${variant}.ts` : 'order.recipe.json'), copy);
  const entry = isSpec ? `import './${name}.js';\n` : variant === 'recipe' ? shimEntry(name) : otherEntry(copy, other);
  writeFileSync(path.join(generated, `${name}.entry.ts`), entry);
}

function shimEntry(name) {
  return `import { pathToFileURL } from 'node:url';
const { default: registered } = await import(pathToFileURL(\`\${process.env.BENCH_SHIMS}/generated/${name}.recipe.js\`).href);
await registered;
`;
}

// The same code as in a shim, but with the register module of the other build.
function otherEntry(recipe, other) {
  return `import { registerDocuments } from ${urlOf(other, 'playwright-register.js')};
import * as setup from './otherSetup.js';
registerDocuments({ files: [${JSON.stringify(recipe)}], project: process.env.BENCH_PROJECT }, setup);
`;
}

function otherSetup(other) {
  return readFileSync(path.join(here, 'setup.ts'), 'utf8')
    .replace("'recipewright/playwright'", urlOf(other, 'playwright.js'))
    .replace("'./", "'../");
}

function urlOf(folder, file) {
  return JSON.stringify(pathToFileURL(path.resolve(folder, file)).href);
}
