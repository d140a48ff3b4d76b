import { describe, expect, test } from 'vitest';
import { wrapExport } from '../../../../src/cli/init/wrapExport.js';

const wrap = (text: string): string | undefined =>
  wrapExport(text, { name: 'withRecipes', from: 'recipewright/playwright' }, (config) => `withRecipes(${config}, {})`);

describe('a config', () => {
  test('a config that exports a call is wrap and gets the import', () => {
    const text =
      "import { defineConfig } from '@playwright/test';\n\nexport default defineConfig({\n  testDir: './tests',\n});\n";
    expect(wrap(text)).toBe(
      "import { defineConfig } from '@playwright/test';\nimport { withRecipes } from 'recipewright/playwright';\n\nexport default withRecipes(defineConfig({\n  testDir: './tests',\n}), {});\n",
    );
  });

  test('a config that exports a name is wrap', () => {
    expect(wrap('const config = { a: 1 };\nexport default config\n')).toBe(
      "import { withRecipes } from 'recipewright/playwright';\n\nconst config = { a: 1 };\nexport default withRecipes(config, {})\n",
    );
  });

  test('a CommonJS config gets a require, with the quotes of the file', () => {
    expect(wrap('const { defineConfig } = require("@playwright/test");\nmodule.exports = defineConfig({});\n')).toBe(
      'const { defineConfig } = require("@playwright/test");\nconst { withRecipes } = require("recipewright/playwright");\nmodule.exports = withRecipes(defineConfig({}), {});\n',
    );
  });

  test('a wrap config keeps its line breaks', () => {
    const text = "import { defineConfig } from 'vitest/config';\r\n\r\nexport default defineConfig({\r\n\ta: 1,\r\n});\r\n";
    expect(wrap(text)).toBe(
      "import { defineConfig } from 'vitest/config';\r\nimport { withRecipes } from 'recipewright/playwright';\r\n\r\nexport default withRecipes(defineConfig({\r\n\ta: 1,\r\n}), {});\r\n",
    );
  });

  test('a wrap config keeps a type comment next to its statement', () => {
    const text =
      "// @ts-check\n\n/** @type {import('@playwright/test').PlaywrightTestConfig} */\nconst config = {};\nmodule.exports = config;\n";
    expect(wrap(text)).toBe(
      "// @ts-check\nconst { withRecipes } = require('recipewright/playwright');\n\n\n/** @type {import('@playwright/test').PlaywrightTestConfig} */\nconst config = {};\nmodule.exports = withRecipes(config, {});\n",
    );
  });

  test('a wrap config keeps "use strict" at the top', () => {
    expect(wrap("'use strict';\nmodule.exports = {};\n")).toBe(
      "'use strict';\nconst { withRecipes } = require('recipewright/playwright');\n\nmodule.exports = withRecipes({}, {});\n",
    );
  });

  test('a config that begins its export on the line of an import is wrap', () => {
    expect(wrap("import { a } from 'b'; export default a;\n")).toBe(
      "import { a } from 'b';\nimport { withRecipes } from 'recipewright/playwright';\n export default withRecipes(a, {});\n",
    );
  });

  test.for([
    ['brackets in texts', 'export default defineConfig({ a: \')\', b: "}", c: `)` });\n'],
    ['brackets in comments', 'export default defineConfig({ // )\n /* } */ });\n'],
    ['brackets in a pattern', "export default defineConfig({ wait: /open at (?<url>[)'/]+)/ });\n"],
    ['a division', 'export default defineConfig({ workers: cpus / 2, b: (1) / 3 });\n'],
    ['a type after it', 'export default {\n  a: 1,\n} satisfies Config;\n'],
    ['a type after it, in parentheses', 'export default ({ a: 1 } as Config);\n'],
    ['a type before it', 'export default <Config>{ a: 1 };\n'],
    ['an array', "export default [\n\t'a', // first\n\t{ b: 1 },\n];\n"],
    ['a function', 'export default defineConfig(({ mode }) => {\n\tconst a   =  1\n\treturn { a, mode }\n})\n'],
    ['an async function', 'export default async () => ({ a: await b() });\n'],
    ['templates inside templates', `export default defineConfig({ a: \`\${b ? \`)\` : '}'}\` });\n`],
    ['a division after a bracket', 'export default defineConfig({ a: [8][0] / 2, b: "/" });\n'],
    ['two merged configs', "export default mergeConfig(base, defineConfig({\n  a :  'b'\n}))\n"],
    ['a comment after it', 'export default {};\n// the end\n'],
  ])('a config with %s is wrapped completely', ([, text = '']) => {
    const expression = text.slice('export default '.length).replace(/;?\n(\/\/.*\n)?$/, '');
    expect(wrap(text)).toContain(`export default withRecipes(${expression}, {})`);
  });

  test.for([
    ['has code after its export', 'export default defineConfig({});\nconsole.log(1);\n'],
    ['exports nothing', 'const a = 1;\n'],
    ['does not close its brackets', 'export default defineConfig({\n'],
    ['exports names only', 'export const config = {};\n'],
    ['exports its default in a list of names', 'const a = {};\nexport { a as default };\n'],
    ['exports a part only', 'module.exports.config = {};\n'],
    ['is not JavaScript', 'export default { a: 1\n'],
  ])('a config that %s is left unchanged', ([, text = '']) => {
    expect(wrap(text)).toBeUndefined();
  });
});
