import { readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const common: Options = { format: 'esm', target: 'node20.19' };

/** scripts/build.mjs lets tsc emit these declarations first. */
const declarations = {
  index: 'dist/.types/src/index.d.ts',
  playwright: 'dist/.types/src/playwright.d.ts',
  'playwright-reporter': 'dist/.types/reporters/playwright.d.ts',
  template: 'dist/.types/src/template.d.ts',
  vitest: 'dist/.types/src/vitest.d.ts',
  'vitest-reporter': 'dist/.types/reporters/vitest.d.ts',
};

/** zod has its messages in 50 languages, 700 kB with their maps. Findings are in English. */
const englishOnly: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'english-only',
  setup(build) {
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "export { default as en } from './en.js';" }));
  },
};

export default defineConfig(({ dts }) => [
  ...(dts === false ? [] : [{ ...common, format: ['esm', 'cjs'], entry: declarations, dts: { only: true } } satisfies Options]),
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      cli: 'src/cli/cli.ts',
      'detached-runner': 'src/hosts/detached/runner.ts',
      playwright: 'src/playwright.ts',
      'playwright-config': 'src/hosts/playwright/configThread.ts',
      'playwright-register': 'fixtures/declareTests.ts',
      'playwright-reporter': 'reporters/playwright.ts',
      template: 'src/template.ts',
      vitest: 'src/vitest.ts',
      'vitest-register': 'src/hosts/vitest/createTestBody.ts',
      'vitest-reporter': 'reporters/vitest.ts',
    },
    // Readable, and split so that a command or a worker loads only what it needs (decisions/026).
    splitting: true,
    sourcemap: true,
    esbuildOptions(options) {
      // The sources with their comments are in the repository; the maps lead to their lines.
      options.sourcesContent = false;
    },
    // zod and execa have many files, which each worker of a test runner would have to find and load. webm-muxer brings global
    // types of browsers that clash with those of TypeScript. scripts/bundledLicenses.mjs reads the metafile.
    noExternal: ['zod', 'execa', 'webm-muxer'],
    metafile: true,
    esbuildPlugins: [englishOnly],
    // execa has dependencies in CommonJS, which ask for parts of Node by require().
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module';\nconst require = createRequireHere(import.meta.url);",
    },
    define: { RECIPEWRIGHT_VERSION: JSON.stringify(version) },
  },
]);
