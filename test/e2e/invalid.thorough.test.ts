import { join } from 'node:path';
import { expect, test } from '../support/project.js';
import { recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';

test('an invalid recipe is one failing test at the place of the finding, and the others still run', async ({ project }) => {
  const misspelt = recipe(
    { start: say('hello', { next: 'dnoe' }), done: { action: 'end', status: 'pass' } },
    { title: 'Misspelt' },
  );
  const inner = project({
    'recipes/a-syntax.recipe.json': '{\n  "schema_version": 1,\n  "title": "Cut short",\n  "validate": }\n',
    'recipes/b-target.recipe.json': misspelt,
    'recipes/c-empty.recipe.json': '',
    'recipes/d-other.recipe.json': { hello: 'world' },
    'recipes/e-sound.recipe.json': sound(),
  });
  const run = await inner.run();
  const text = JSON.stringify(misspelt, null, 2).split('\n');
  const line = text.findIndex((each) => each.includes('dnoe')) + 1;

  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 4, skipped: 0 });
  expect(testsIn(run.report).map(({ title, line: at, column }) => `${at}:${column} ${title}`)).toEqual([
    '4:15 a-syntax.recipe.json is a valid recipe',
    `${line}:11 b-target.recipe.json is a valid recipe`,
    '1:1 c-empty.recipe.json is a valid recipe',
    '1:1 d-other.recipe.json is a valid recipe',
    '3:3 A sound recipe',
  ]);
  const [syntax, target] = testsIn(run.report).map(({ results }) => results[0]?.errors[0]);
  expect(syntax?.location).toEqual({ file: join(inner.dir, 'recipes/a-syntax.recipe.json'), line: 4, column: 15 });
  expect(syntax?.message).toContain('document.invalid_json');
  expect(target?.location).toEqual({ file: join(inner.dir, 'recipes/b-target.recipe.json'), line, column: 11 });
  expect(target?.message).toContain('workflow.missing_target');
  expect(target?.message).toContain('Node "start" goes to "dnoe", which does not exist.');
  expect(target?.message).toContain('Did you mean "done"?');
  expect([...run.packages.keys()]).toEqual(['recipes/e-sound']);
});
