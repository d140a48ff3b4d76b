import { expectWhole } from '../support/evidence.js';
import { expect, test } from '../support/project.js';
import { end, exit, recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

test('a recipe without claims passes when an assertion is all that could have failed', async ({ project }) => {
  const setup = setupFile({ 'lab.count': 'return { output: { count: 1 } };' }).replace('fallible: () => true,', '');
  const one = { path: '$.count', operator: 'eq', value: 1 };
  const flow = {
    postcondition: one,
    workflow: {
      entry: 'count',
      nodes: { count: { action: 'lab.count', intent: 'Count to one', next: 'over' }, over: end('pass') },
    },
  };
  const run = await project({
    'recipes.setup.ts': setup,
    'recipes/allowed.recipe.json': recipe({
      leave: exit(3, { allow_failure: true, assert: { path: '$.exitCode', operator: 'eq', value: 3 } }),
    }),
    'recipes/inline.recipe.json': recipe({ count: { action: 'lab.count', assert: one } }),
    'recipes/post.recipe.json': recipe({ call: { action: 'call', ref: 'lab.one' } }, { flows: { 'lab.one': flow } }),
  }).run();
  expect([...run.packages].map(([id, { summary }]) => `${id}: ${summary.status}, ${summary.reason}`).sort()).toEqual([
    'recipes/allowed: pass, the recipe passed',
    'recipes/inline: pass, the recipe passed',
    'recipes/post: pass, the recipe passed',
  ]);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0 });
  for (const found of run.packages.values()) expectWhole(found);
});
