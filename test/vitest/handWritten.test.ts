import { expect, test } from 'vitest';
import { exit, recipe, say, sound } from '../support/recipe.js';
import { vitestProject } from '../support/vitestProject.js';

const native = `
import { runRecipe } from 'recipewright';
import { expectPass } from 'recipewright/vitest';
import { expect, test } from 'vitest';

const run = (name: string) => runRecipe(name, { artifactsDir: 'evidence/' + name });

test('passes', async () => {
  const result = await run('sound.json');
  expectPass(result);
  expect(result.summary.proof[0]?.status).toBe('proven');
});
test('fails', async () => expectPass(await run('failing.json')));
test('is invalid', async () => {
  expectPass(await run('invalid.json'));
});
`;

test('a recipe in a hand-written test fails with its nodes in the message, in the frame of the test', async () => {
  const project = vitestProject({
    'native.test.ts': native,
    'sound.json': sound(),
    'failing.json': recipe({ speak: say('hello'), leave: exit(3), never: say('x') }),
    'invalid.json': { schema_version: 1, title: 'Invalid', validate: {} },
    'vitest.config.ts': "export default { test: { reporters: ['default', ['json', { outputFile: 'report.json' }]] } };\n",
  });
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  const [, failed = '', invalid = ''] = run.tests.map(({ messages }) => messages[0] ?? '');
  expect(failed).toContain("The recipe's verdict is fail: leave: Command exited with 3");
  expect(failed).toContain('✓ Perform speak for the test (speak · command)\n✗ Perform leave for the test (leave · command)\n');
  expect(failed).toContain('Its package is in ');
  expect(invalid).toContain('recipe.missing_workflow');
  const line = project.lineOf('native.test.ts', "test('fails'");
  expect(run.stderr).toContain(`native.test.ts:${line}:`);
  expect(run.stderr).not.toContain('expectPass.');
});
