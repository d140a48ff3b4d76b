import { expectChain, expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { expect, type Run, test } from '../support/project.js';
import { recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const setup = setupFile(
  {
    'lab.hang': "writeFileSync('hanging', ''); console.log('it hangs'); await new Promise(() => undefined);",
    'lab.fail':
      "while (!existsSync('hanging')) await new Promise((again) => setTimeout(again, 20)); throw new RecipeError('lab.no', 'action', 'No.');",
  },
  "import { existsSync, writeFileSync } from 'node:fs';",
);

const hanging = recipe({ before: say('alive'), hang: { action: 'lab.hang' } }, { teardown: [say('bye')] });

function expectInterrupted(run: Run, id: string): void {
  const found = packageOf(run, id);
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown' });
  expect(found.trace).toMatchObject([
    { nodeId: 'before', ok: true },
    { nodeId: 'hang', ok: false },
    { nodeId: 'teardown:0', ok: true },
  ]);
  // Nobody ran out of time, and nobody calls a test green that was interrupted.
  expect.soft(found.summary.reason).toContain('interrupted');
  expect.soft(found.summary.reason).not.toContain('time of the test');
  expect.soft(run.stdout).not.toContain('the test is green');
}

test('a recipe that is stopped because another one failed is interrupted, not out of time', async ({ project }) => {
  const files = {
    'recipes/a.recipe.json': recipe({ fail: { action: 'lab.fail' } }),
    'recipes/b.recipe.json': hanging,
    'recipes/c.recipe.json': sound(),
  };
  const run = await project({ 'recipes.setup.ts': setup, ...files }, { config: { workers: 2, maxFailures: 1 } }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  expectInterrupted(run, 'recipes/b');
  expectChain(packageOf(run, 'recipes/a'));
  expect([...run.packages.keys()].sort()).toEqual(['recipes/a', 'recipes/b']);
});

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} to Playwright inside a node ends the recipe with its teardown and a package`, async ({ project }) => {
    const inner = project({ 'recipes.setup.ts': setup, 'recipes/a.recipe.json': hanging, 'recipes/b.recipe.json': sound() });
    const run = await inner.run([], { send: { when: 'it hangs', signal } });
    expect([...run.packages.keys()]).toEqual(['recipes/a']);
    expectInterrupted(run, 'recipes/a');
    expect([exitCode, 130]).toContain(run.exitCode);
  });
}
