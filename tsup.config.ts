import { readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const common: Options = {
  format: 'esm',
  target: 'node20.19',
  esbuildOptions(options) {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    // Names stay: Playwright finds a test's fixtures in the text of its functions, and people read stacks.
    options.minifyIdentifiers = false;
  },
  define: { RECIPEWRIGHT_VERSION: JSON.stringify(version) },
};

/** scripts/build.mjs lets tsc emit these declarations first. */
const declared = {
  index: 'dist/.types/src/index.d.ts',
  playwright: 'dist/.types/src/playwright.d.ts',
  'playwright-reporter': 'dist/.types/reporters/playwright.d.ts',
  template: 'dist/.types/src/template.d.ts',
  vitest: 'dist/.types/src/vitest.d.ts',
  'vitest-reporter': 'dist/.types/reporters/vitest.d.ts',
};

export default defineConfig(({ dts }) => [
  ...(dts === false ? [] : [{ ...common, entry: declared, dts: { only: true } }]),
  {
    ...common,
    entry: { library: 'src/library.ts' },
    format: 'cjs',
    // As the address of a module would be, also of an installation whose path holds a "#".
    banner: { js: '"use strict";const __address = require("node:url").pathToFileURL(__filename).href;' },
    define: { ...common.define, 'import.meta.url': '__address' },
    // Finding and compiling the many files of these is most of a start-up, which each worker of a test runner has, too.
    noExternal: ['zod', 're2js', 'cac', 'picocolors'],
  },
  { ...common, entry: { nativeImport: 'src/system/nativeImport.cjs' }, format: 'cjs' },
  // A worker of Vitest that only lists its tests needs nothing but the first of these.
  {
    ...common,
    entry: { 'vitest-register': 'src/hosts/vitest/registerRecipe.ts', loadPart: 'src/system/loadPart.ts' },
    external: ['./runInTest.js'],
  },
]);
