// One copy of each variant per round, named so that Playwright runs them in turns: 007-0-steps, 007-1-recipe, 007-2-native.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const here = import.meta.dirname;
export const generated = path.join(here, 'generated');

/** `specs`: the folder of what is measured. `other` is the dist folder of a second build, which then runs beside the installed one. */
export function generate(rounds, other, specs = 'order') {
  const variants = ['native', 'steps', 'recipe', ...(other ? ['other'] : [])];
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated);
  if (other) writeFileSync(path.join(generated, 'otherSetup.ts'), otherSetup(other));
  for (let round = 0; round < rounds; round++) {
    for (const [turn, variant] of inTurn(variants, round).entries()) {
      write(`${String(round).padStart(4, '0')}-${turn}-${variant}`, { variant, specs, other });
    }
  }
  return variants;
}

// Each first, second and last equally often, before and after each other.
function inTurn(variants, round) {
  const shift = round % variants.length;
  const turned = [...variants.slice(shift), ...variants.slice(0, shift)];
  return Math.floor(round / variants.length) % 2 === 0 ? turned : turned.reverse();
}

// Projects do not share workers, so the entries of one project import what is to be measured: a copy of a spec, or a recipe's shim.
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

// What a shim says, with the register module of the other build.
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
