import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { recipe, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

// Counts its visits in a file, and passes at the requested visit.
const setup = setupFile(
  {
    'lab.visit': `
      const file = join(context.projectRoot, 'visits.txt');
      appendFileSync(file, 'x');
      const visits = readFileSync(file, 'utf8').length;
      const artifacts = [{ path: 'logs/visit.txt', type: 'log', body: Buffer.from(String(visits)) }];
      if (visits < fields.until) return { output: { visits }, artifacts, failure: new RecipeError('lab.early', 'action', 'Visit ' + visits + ' is too early.') };
      return { output: { visits }, artifacts };
    `,
  },
  "import { appendFileSync, readFileSync } from 'node:fs';\nimport { join } from 'node:path';",
);

test('every attempt and every repetition of a recipe has its own package, and the last attempt is the result', async ({
  project,
}) => {
  const flaky = recipe({ visit: { action: 'lab.visit', until: 3 } }, { title: 'Flaky' });
  const inner = project({
    'recipes.setup.ts': setup,
    'recipes/flaky.recipe.json': flaky,
    'recipes/steady.recipe.json': sound(),
  });
  const run = await inner.run(['--retries=2']);

  expect(run).toMatchObject({ exitCode: 0, passed: 1, failed: 0, flaky: 1 });
  expect(run.stdout).toMatch(/^ {2}flaky {3}recipes\/flaky/m);
  const names = ['.attempts/recipes/flaky/0', '.attempts/recipes/flaky/1', 'recipes/flaky', 'recipes/steady'];
  expect([...run.packages.keys()].sort()).toEqual(names);
  for (const found of run.packages.values()) expectWhole(found);
  const attempts = names.slice(0, 3).map((name) => packageOf(run, name));
  expect(attempts.map(({ summary }) => summary.status)).toEqual(['fail', 'fail', 'pass']);
  expect(attempts.map(({ trace }) => trace[0]?.output)).toEqual([{ visits: 1 }, { visits: 2 }, { visits: 3 }]);
  expect(attempts.map(({ lines }) => lines[0]?.attempt)).toEqual([0, 1, 2]);
  expect(attempts.every(({ files }) => files.includes('logs/visit.txt'))).toBe(true);

  // From now on, the recipe passes at the first attempt.
  const again = await inner.run(['--retries=2', '--repeat-each=3']);
  expect(again).toMatchObject({ exitCode: 0, stderr: '', passed: 6, failed: 0, flaky: 0 });
  const repeated = ['recipes/flaky', 'recipes/steady'].flatMap((id) => [id, `${id}--repeat1`, `${id}--repeat2`]);
  expect([...again.packages.keys()].sort()).toEqual(repeated);
  for (const found of again.packages.values()) expectWhole(found);
});
