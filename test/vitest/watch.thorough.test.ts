import { expect, test } from 'vitest';
import { hears, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const catalog = (word: string) => ({
  schema_version: 1,
  kind: 'recipe-flow-catalog',
  owner: 'shop',
  flows: {
    'shop.say': {
      version: 1,
      description: 'Says a word.',
      workflow: {
        entry: 'say',
        nodes: {
          say: { action: 'command', intent: 'Say the word of the shop', argv: ['echo', word], next: 'done' },
          done: { action: 'end', status: 'pass' },
        },
      },
      postcondition: { path: '$.stdout', operator: 'contains', value: 'kettle' },
      examples: [{ description: 'Say it.', params: {} }],
    },
  },
});

const setup = (end: string) =>
  setupFile({ 'lab.say': `return { output: { stdout: word + '${end}' } };` }, "import { word } from './word.js';");
const word = (text: string) => `export const word: string = '${text}';\n`;
const own = { action: 'lab.say', assert: { path: '$.stdout', operator: 'contains', value: 'hello' } };

test('watch mode runs again the tests that use an edited recipe, catalog or setup module, and no others', async () => {
  const calling = recipe({ call: { action: 'call', ref: 'shop.say' } }, { title: 'Uses', uses: ['../flows/shop.flows.json'] });
  const plain = (text: string) => recipe({ speak: say('hello'), listen: hears('speak', text) }, { title: 'Plain' });
  const files = {
    'recipes.setup.ts': setup('lo'),
    'word.ts': word('hel'),
    'recipes/plain.recipe.json': plain('hello'),
    'recipes/using.recipe.json': calling,
    'recipes/own.recipe.json': recipe({ own }, { title: 'Own' }),
    'flows/shop.flows.json': catalog('kettle'),
  };
  const project = vitestProject(files, { recipes: { recipes: ['recipes/*.recipe.json', 'flows/*.flows.json'] } });
  const { sees, position, output, child, ended } = project.start(['--watch', '--reporter=verbose']);
  await sees('for file changes...');
  const edit = async (files: object, ...expected: string[]) => {
    const from = position();
    project.write(files as Record<string, unknown>);
    for (const text of expected) await sees(text, from);
    await sees('for file changes...', from);
    return project.after({ exitCode: null, signal: null, stdout: '', stderr: '' }).suite?.totals;
  };
  const broken = { 'recipes/plain.recipe.json': plain('goodbye') };
  expect(await edit(broken, '× recipes/plain.recipe.json', 'Tests  1 failed (1)')).toMatchObject({ failed: 1, not_run: 3 });
  const mended = { 'recipes/plain.recipe.json': plain('hello') };
  expect(await edit(mended, '✓ recipes/plain.recipe.json', 'Tests  1 passed (1)')).toMatchObject({ passed: 1, not_run: 3 });
  // The examples of the catalog, and the recipes that call its flows.
  const [using, shop] = ['recipes/using.recipe.json', 'flows/shop.flows.json'];
  const mug = { [shop]: catalog('mug') };
  expect(await edit(mug, `× ${using}`, `× ${shop}`, 'Tests  2 failed (2)')).toMatchObject({ failed: 2, not_run: 2 });
  // A catalog that cannot be read for a moment remains a dependency.
  await edit({ [shop]: '{' }, `× ${using}`, 'Tests  2 failed (2)');
  await edit({ [shop]: catalog('kettle') }, `✓ ${using}`, `✓ ${shop}`, 'Tests  2 passed (2)');
  await edit({ 'recipes.setup.ts': setup('') }, '× recipes/own.recipe.json');
  await edit({ 'word.ts': word('hello') }, '✓ recipes/own.recipe.json');
  // A new recipe.
  await edit(
    { 'recipes/late.recipe.json': recipe({ own }, { title: 'Late' }) },
    '✓ recipes/late.recipe.json',
    'Tests  1 passed (1)',
  );
  // A deleted recipe.
  const removal = position();
  project.remove('recipes/late.recipe.json');
  await sees('Test removed', removal);
  const from = position();
  expect(await edit({ 'word.ts': word('bye') }, '× recipes/own.recipe.json')).toMatchObject({ declared: 5, not_run: 1 });
  expect(output().slice(from)).not.toContain('late.recipe.json');
  child.kill('SIGTERM');
  await ended;
});
