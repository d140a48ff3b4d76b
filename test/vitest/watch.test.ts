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
    },
  },
});

const setup = (end: string) =>
  setupFile({ 'lab.say': `return { output: { stdout: word + '${end}' } };` }, "import { word } from './word.js';");
const word = (text: string) => `export const word: string = '${text}';\n`;
const own = { action: 'lab.say', assert: { path: '$.stdout', operator: 'contains', value: 'hello' } };

test('watch mode runs again what an edited recipe, catalog or setup module is part of, and nothing else', async () => {
  const using = recipe({ call: { action: 'call', ref: 'shop.say' } }, { title: 'Uses', uses: ['../flows/shop.flows.json'] });
  const plain = (text: string) => recipe({ speak: say('hello'), listen: hears('speak', text) }, { title: 'Plain' });
  const project = vitestProject({
    'recipes.setup.ts': setup('lo'),
    'word.ts': word('hel'),
    'recipes/plain.recipe.json': plain('hello'),
    'recipes/using.recipe.json': using,
    'recipes/own.recipe.json': recipe({ own }, { title: 'Own' }),
    'flows/shop.flows.json': catalog('kettle'),
  });
  const { sees, position, child, ended } = project.start(['--watch', '--reporter=verbose'], { timeoutMs: 50_000 });
  await sees('for file changes...');
  const edit = async (files: object, ...expected: string[]) => {
    const from = position();
    project.write(files as Record<string, unknown>);
    for (const text of expected) await sees(text, from);
    await sees('for file changes...', from);
    return project.after({ exitCode: null, signal: null, stdout: '', stderr: '' }).suite?.totals;
  };
  const broken = { 'recipes/plain.recipe.json': plain('goodbye') };
  expect(await edit(broken, '× recipes/plain.recipe.json', 'Tests  1 failed (1)')).toMatchObject({ declared: 1, failed: 1 });
  const mended = { 'recipes/plain.recipe.json': plain('hello') };
  expect(await edit(mended, '✓ recipes/plain.recipe.json', 'Tests  1 passed (1)')).toMatchObject({ declared: 1, passed: 1 });
  expect(
    await edit({ 'flows/shop.flows.json': catalog('mug') }, '× recipes/using.recipe.json', 'Tests  1 failed (1)'),
  ).toMatchObject({
    declared: 1,
    failed: 1,
  });
  // A catalog that cannot be read for a moment is still one of them.
  await edit({ 'flows/shop.flows.json': '{' }, '× recipes/using.recipe.json', 'Tests  1 failed (1)');
  await edit({ 'flows/shop.flows.json': catalog('kettle') }, '✓ recipes/using.recipe.json', 'Tests  1 passed (1)');
  await edit({ 'recipes.setup.ts': setup('') }, '× recipes/own.recipe.json');
  await edit({ 'word.ts': word('hello') }, '✓ recipes/own.recipe.json');
  // A recipe that was not there before.
  await edit(
    { 'recipes/late.recipe.json': recipe({ own }, { title: 'Late' }) },
    '✓ recipes/late.recipe.json',
    'Tests  1 passed (1)',
  );
  child.kill('SIGTERM');
  await ended;
});
