// Generates a project with recipes and an equivalent hand-written test file for each.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tenNodes } from '../validate/tenNodes.mjs';

const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const lane = process.env.RECIPEWRIGHT_VITEST_LANE;

export function moduleFolder(name) {
  const laneFolder = lane === undefined ? '' : path.join(lane, 'node_modules', name);
  return laneFolder !== '' && existsSync(laneFolder) ? laneFolder : path.join(ownModules, name);
}

export function generate(counts) {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'vitest-bench-')));
  const write = (name, text) => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  };
  mkdirSync(path.join(dir, 'node_modules'));
  for (const name of ['recipewright', 'vitest', 'vite', 'zod'])
    symlinkSync(moduleFolder(name), path.join(dir, 'node_modules', name), 'junction');
  write('package.json', '{ "type": "module" }\n');
  write('recipes.setup.js', setup);
  for (let index = 0; index < counts.listed; index++) {
    write(`listed/recipes/r${index}.recipe.json`, tenNodes(index));
    write(
      `listed/native/r${index}.test.js`,
      `import { test } from 'vitest';\ntest('Prices of shop-${index}', async () => undefined);\n`,
    );
  }
  for (let index = 0; index < counts.run; index++) {
    write(`run/recipes/r${index}.recipe.json`, noops(index));
    write(`run/native/r${index}.test.js`, loop(index));
  }
  for (const [variant, { folder, test }] of Object.entries(variants)) {
    const settings = (include) => JSON.stringify({ ...test, include });
    write(`${variant}.native.config.mjs`, `export default { test: ${settings([`${folder}/native/*.test.js`])} };\n`);
    write(`${variant}.recipes.config.mjs`, recipeConfig(folder, settings([])));
  }
  return dir;
}

/** The compared variants. The names of their two configs begin with the name of the variant. `test` has the options of Vitest. */
export const variants = {
  listed: { folder: 'listed', test: {} },
  'listed-isolate-false': { folder: 'listed', test: { isolate: false } },
  default: { folder: 'run', test: {} },
  'isolate-false': { folder: 'run', test: { isolate: false } },
  threads: { folder: 'run', test: { pool: 'threads' } },
  'threads-isolate-false': { folder: 'run', test: { pool: 'threads', isolate: false } },
};

const recipeConfig = (folder, test) => `
import { recipes } from 'recipewright/vitest';
export default {
  plugins: [recipes({ recipes: '${folder}/recipes/*.recipe.json', setup: './recipes.setup.js' })],
  test: ${test},
};
`;

export const setup = `
import { defineAction, defineSetup, z } from 'recipewright';
const noop = defineAction({
  name: 'bench.noop',
  description: 'Does nothing.',
  schema: z.strictObject({}),
  examples: [{ description: 'Nothing.', node: { action: 'bench.noop' } }],
  effect: 'reads',
  fallible: () => true,
  run: async () => ({ output: {} }),
});
export default defineSetup({ actions: [noop] });
`;

export function noops(index) {
  const ids = Array.from({ length: 10 }, (_, number) => `step-${number}`);
  const nodes = ids.map((id, number) => [
    id,
    { action: 'bench.noop', intent: `Do nothing for the time number ${number}`, next: ids[number + 1] ?? 'done' },
  ]);
  const workflow = { entry: ids[0], nodes: { ...Object.fromEntries(nodes), done: { action: 'end', status: 'pass' } } };
  return `${JSON.stringify({ schema_version: 1, title: `Nothing ${index}`, validate: { workflow } }, null, 2)}\n`;
}

const loop = (index) => `import { expect, test } from 'vitest';
const noop = async () => ({ output: {} });
test('Nothing ${index}', async () => {
  for (let number = 0; number < 10; number++) expect(await noop()).toEqual({ output: {} });
});
`;
