import { readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const common: Options = {
  format: 'esm',
  target: 'node20.19',
  // Finding and compiling the many files of these is most of a start-up, which each worker of a test runner has, too.
  noExternal: ['zod', 're2js'],
  esbuildOptions(options) {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    // Names stay: Playwright finds a test's fixtures in the text of its functions, and people read stacks.
    options.minifyIdentifiers = false;
  },
  define: { RECIPEWRIGHT_VERSION: JSON.stringify(version) },
};

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      playwright: 'src/playwright.ts',
      'playwright-register': 'src/hosts/playwright/registerDocuments.ts',
      'playwright-config': 'src/hosts/playwright/configThread.ts',
      'playwright-reporter': 'reporters/playwright.ts',
      template: 'src/template.ts',
      'detached-runner': 'src/hosts/detached/runner.ts',
      vitest: 'src/vitest.ts',
      'vitest-register': 'src/hosts/vitest/registerRecipe.ts',
      'vitest-reporter': 'reporters/vitest.ts',
    },
    splitting: true,
    clean: true,
    dts: {
      entry: {
        index: 'src/index.ts',
        playwright: 'src/playwright.ts',
        'playwright-reporter': 'reporters/playwright.ts',
        template: 'src/template.ts',
        vitest: 'src/vitest.ts',
        'vitest-reporter': 'reporters/vitest.ts',
      },
    },
  },
  { ...common, entry: { cli: 'src/cli/bytecode.ts' }, splitting: false },
  { ...common, entry: { nativeImport: 'src/system/nativeImport.cjs' }, format: 'cjs' },
  {
    ...common,
    // One file, with the libraries that every command needs; a script, since only scripts start from bytecode.
    entry: { 'cli-main': 'src/cli/main.ts' },
    format: 'cjs',
    shims: true,
    splitting: false,
    noExternal: ['zod', 're2js', 'cac', 'picocolors'],
    onSuccess: 'node scripts/compileCli.mjs',
  },
]);
