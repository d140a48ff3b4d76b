// The index of an output directory only describes the last run. For the recipes that a run left out, see nothingStale.thorough.test.ts.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { greenTree, removeGreenResults, removeNative, unknown } from '../support/greenTree.js';
import { expect, test } from '../support/project.js';
import { indexIn, restoreResults } from '../support/staleTree.js';

test.afterAll(removeGreenResults);

test('a run that is killed, that has other reporters or whose config throws leaves no index of the previous run', async ({
  project,
}) => {
  const inner = await greenTree(project);
  removeNative(inner);

  inner.write({ 'word.txt': 'bye', hang: '' });
  await inner.run([], { send: { when: 'it hangs', signal: 'SIGKILL' } });
  const killed = indexIn(inner.dir);
  expect(killed).toMatchObject({ state: 'running', proven: [], totals: { declared: 3, passed: 0 } });
  expect(killed.md).toMatch(/^Recipes: 3 planned, [01] finished: unknown$/);
  expect(killed.html).toMatch(/^3 recipes planned, [01] finished: unknown$/);
  expect(killed.recipes).toMatchObject({ 'recipes/b': 'unknown', 'recipes/c': 'unknown' });
  expect(killed.text).toContain('AC2 of recipes/b: The claim of AC2 holds.');

  restoreResults(inner.dir);
  const thrown = await inner.run([], { env: { THROW: '1' } });
  expect(thrown.exitCode).toBe(1);
  expect(indexIn(inner.dir)).toMatchObject({ recipes: unknown, proven: [], totals: { declared: 3, passed: 0, unknown: 3 } });
  expect(indexIn(inner.dir).html).not.toContain('3 of 3');

  restoreResults(inner.dir);
  rmSync(join(inner.dir, 'hang'));
  const quiet = await inner.run(['--reporter=line']);
  expect(quiet.exitCode).toBe(1);
  expect(indexIn(inner.dir)).toMatchObject({
    html: '0 of 3 recipes passed',
    state: 'finished',
    recipes: { 'recipes/a': 'fail', 'recipes/b': 'fail', 'recipes/c': 'fail' },
    proven: [],
  });

  // The first run is killed. The next run selects one recipe.
  rmSync(join(inner.dir, 'recipe-results'), { recursive: true });
  inner.write({ 'word.txt': 'hello', hang: '' });
  await inner.run(['--reporter=line', 'recipes/b.recipe.json'], { send: { when: 'it hangs', signal: 'SIGKILL' } });
  expect(indexIn(inner.dir)).toMatchObject({ html: '3 recipes planned, 0 finished: unknown', recipes: unknown });
  rmSync(join(inner.dir, 'hang'));
  expect((await inner.run(['--reporter=line', '-g@AC1'])).exitCode).toBe(0);
  const selectedIndex = indexIn(inner.dir);
  expect(selectedIndex).toMatchObject({
    html: '1 of 3 recipes passed, 2 not run (-g@AC1)',
    recipes: { 'recipes/a': 'pass', 'recipes/b': 'not_run', 'recipes/c': 'not_run' },
    totals: { declared: 3, passed: 1, unknown: 0, not_run: 2 },
  });
  expect(selectedIndex.text).toContain('3 claimed: 1 proven, 0 refuted, 0 unproven, 0 blocked, 2 not run.');
});
