// A config is changed only where it can be done without reading it as a program.
import { describe, expect, test } from 'vitest';
import { wrapExport } from '../../../../src/cli/init/wrapExport.js';

const wrapped = (text: string): string | undefined =>
  wrapExport(text, { name: 'withRecipes', from: 'recipewright/playwright' }, (config) => `withRecipes(${config}, {})`);

describe('a config', () => {
  test('a config that exports a call is wrapped and gets the import', () => {
    const text =
      "import { defineConfig } from '@playwright/test';\n\nexport default defineConfig({\n  testDir: './tests',\n});\n";
    expect(wrapped(text)).toBe(
      "import { defineConfig } from '@playwright/test';\nimport { withRecipes } from 'recipewright/playwright';\n\nexport default withRecipes(defineConfig({\n  testDir: './tests',\n}), {});\n",
    );
  });

  test('a config that exports a name is wrapped', () => {
    expect(wrapped('const config = { a: 1 };\nexport default config\n')).toBe(
      "import { withRecipes } from 'recipewright/playwright';\n\nconst config = { a: 1 };\nexport default withRecipes(config, {})\n",
    );
  });

  test('a CommonJS config gets a require, with the quotes of the file', () => {
    expect(wrapped('const { defineConfig } = require("@playwright/test");\nmodule.exports = defineConfig({});\n')).toBe(
      'const { defineConfig } = require("@playwright/test");\nconst { withRecipes } = require("recipewright/playwright");\nmodule.exports = withRecipes(defineConfig({}), {});\n',
    );
  });

  test.for([
    ['brackets in texts', 'export default defineConfig({ a: \')\', b: "}", c: `)` });\n'],
    ['brackets in comments', 'export default defineConfig({ // )\n /* } */ });\n'],
    ['brackets in a pattern', "export default defineConfig({ wait: /open at (?<url>[)'/]+)/ });\n"],
    ['a division', 'export default defineConfig({ workers: cpus / 2, b: (1) / 3 });\n'],
    ['a type behind it', 'export default {\n  a: 1,\n} satisfies Config;\n'],
    ['a comment behind it', 'export default {};\n// the end\n'],
  ])('a config with %s is wrapped as a whole', ([, text = '']) => {
    const expression = text.slice('export default '.length).replace(/;?\n(\/\/.*\n)?$/, '');
    expect(wrapped(text)).toContain(`export default withRecipes(${expression}, {})`);
  });

  test.for([
    ['has code after its export', 'export default defineConfig({});\nconsole.log(1);\n'],
    ['exports nothing', 'const a = 1;\n'],
    ['does not close its brackets', 'export default defineConfig({\n'],
    ['exports names only', 'export const config = {};\n'],
  ])('a config that %s is left unchanged', ([, text = '']) => {
    expect(wrapped(text)).toBeUndefined();
  });
});
