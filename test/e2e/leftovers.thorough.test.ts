import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../support/project.js';
import { exit, recipe, sound } from '../support/recipe.js';

test('a package of an earlier run stays if its recipe is not selected, and is removed if its recipe was selected and did not run', async ({
  project,
}) => {
  const inner = project({
    'recipes/a.recipe.json': sound(),
    'recipes/b.recipe.json': sound(),
    'recipes/c.recipe.json': sound(),
    'recipe-results/.live/notes.txt': 'mine',
  });
  const first = await inner.run();
  expect(first).toMatchObject({ exitCode: 0, passed: 3 });
  expect([...first.packages.values()].map(({ summary }) => summary.status)).toEqual(['pass', 'pass', 'pass']);

  const second = await inner.run(['a.recipe.json']);
  expect(second).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  expect(second.packages.get('recipes/b')?.journal).toEqual(first.packages.get('recipes/b')?.journal);
  expect(second.packages.get('recipes/a')?.journal).not.toEqual(first.packages.get('recipes/a')?.journal);

  inner.write({ 'recipes/a.recipe.json': '{', 'recipes/b.recipe.json': recipe({ leave: exit(3) }) });
  const third = await inner.run(['--max-failures=2']);
  expect(third).toMatchObject({ exitCode: 1, passed: 0, failed: 2 });
  // A file of another program in the folder of live journals stays, and does not disturb the run.
  expect(existsSync(join(inner.dir, 'recipe-results/.live/notes.txt'))).toBe(true);
  // a is invalid now, b failed, c was never started.
  expect([...third.packages].map(([id, { summary }]) => [id, summary.status])).toEqual([['recipes/b', 'fail']]);
});
