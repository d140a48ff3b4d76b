import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/project.js';
import { hears, recipe, say } from '../support/recipe.js';

test('the GitHub reporter annotates the failed node at its line of the JSON', async ({ project }) => {
  const inner = project(
    { 'recipes/x.recipe.json': recipe({ speak: say('hello'), listen: hears('speak', 'goodbye') }, { title: 'Greeting' }) },
    { config: { reporter: [['github'], ['json', { outputFile: 'report.json' }]] } },
  );
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 1, failed: 1 });
  const lines = readFileSync(join(inner.dir, 'recipes/x.recipe.json'), 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('"listen": {'));
  const [, file, line, column] = /^::error file=([^,]*),.*?line=(\d+),col=(\d+)::/m.exec(run.stdout) ?? [];
  expect({ file, line, column }).toEqual({
    file: 'recipes/x.recipe.json',
    line: String(at + 1),
    column: String((lines[at]?.indexOf('"listen"') ?? 0) + 1),
  });
});
