// The index of an output directory names the recipes that the last run left out. Lists, UI mode and failed merges do not change the index.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { green, greenTree, removeGreenResults, removeNative } from '../support/greenTree.js';
import { expect, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';
import { indexBytes, indexIn, restoreResults, wordFiles, wordRecipe } from '../support/staleTree.js';
import { openUiMode } from '../support/uiMode.js';

// The tests share the results of one passed run.
test.describe.configure({ mode: 'default' });

test.afterAll(removeGreenResults);

test('the index names the recipes that a run left out, with their claims and the option that left them out', async ({
  project,
}) => {
  const inner = await greenTree(project);
  const run = async (...args: string[]) => {
    restoreResults(inner.dir);
    expect((await inner.run(args)).exitCode).toBe(0);
    return indexIn(inner.dir);
  };
  const other = await run('--project=native');
  expect(other).toMatchObject({ html: '0 of 3 recipes passed, 3 not run (--project=native)', proven: [] });

  removeNative(inner);
  const inverted = await run('--grep-invert', '@AC2');
  expect(inverted).toMatchObject({
    md: 'Recipes: 2 of 3 passed, 1 not run \\(`--grep-invert @AC2`\\)',
    html: '2 of 3 recipes passed, 1 not run (--grep-invert @AC2)',
    recipes: { ...green, 'recipes/b': 'not_run' },
    totals: { declared: 3, executed: 2, not_executed: 1, passed: 2, failed: 0, unknown: 0, skipped: 0, not_run: 1 },
    proven: ['AC1', 'AC3'],
  });
  expect(inverted.resolutions.find(({ id }) => id === 'recipes/b')).toMatchObject({
    detail: 'Left out by --grep-invert @AC2.',
    claims: [{ id: 'AC2', claim: 'The claim of AC2 holds.' }],
  });
  expect(inverted.text).toMatch(/^\| recipes\/b \| not run \| AC2 not run \| Left out by `--grep-invert @AC2`\. \|$/m);
  expect(inverted.text).toContain('3 claimed: 2 proven, 0 refuted, 0 unproven, 0 blocked, 1 not run.');

  expect((await run('recipes/a.recipe.json')).html).toBe('1 of 3 recipes passed, 2 not run (recipes/a.recipe.json)');
  expect((await run('--grep=@AC3', '--workers', '1')).html).toBe('1 of 3 recipes passed, 2 not run (--grep=@AC3)');
  expect((await run('--shard=2/2')).html).toMatch(/^\d of 3 recipes passed, \d not run \(--shard=2\/2\)$/);
});

test('a list, UI mode and an unfinished merge leave the index as it is, and a deleted recipe is listed once', async ({
  project,
}) => {
  const inner = await greenTree(project);
  const before = indexBytes(inner.dir);
  expect((await inner.run(['--list'])).exitCode).toBe(0);
  expect((await inner.run(['--list', '--reporter=line'])).exitCode).toBe(0);
  // UI mode lists tests through the same server as editors.
  const { show, close } = await openUiMode(inner.dir);
  await show('recipes');
  await close();
  expect((await inner.merge(['--reporter=recipewright/playwright/reporter', 'no-such-folder'])).exitCode).toBe(1);
  expect(indexBytes(inner.dir)).toEqual(before);

  removeNative(inner);
  rmSync(join(inner.dir, 'recipes/c.recipe.json'));
  expect((await inner.run()).exitCode).toBe(0);
  const first = indexIn(inner.dir);
  expect(first).toMatchObject({ html: '2 of 3 recipes passed, 1 not run', recipes: { ...green, 'recipes/c': 'not_run' } });
  expect(first.resolutions.find(({ id }) => id === 'recipes/c')).toMatchObject({
    detail:
      'The previous run included this recipe, but this run does not. It was deleted or renamed, or no longer matches the configured patterns.',
    claims: [{ id: 'AC3', claim: 'The claim of AC3 holds.' }],
  });
  expect(existsSync(join(inner.dir, 'recipe-results/recipes/c'))).toBe(false);
  expect((await inner.run()).exitCode).toBe(0);
  expect(indexIn(inner.dir).html).toBe('2 of 2 recipes passed');
  const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
  const verified = spawnSync(process.execPath, [cli, 'verify', 'recipe-results'], { cwd: inner.dir, encoding: 'utf8' });
  expect([verified.status, verified.stdout]).toEqual([
    0,
    expect.stringContaining('Suite: verified, pass: 2 of 2 recipes passed'),
  ]);
});

test('a merge replaces the index of its shards and of earlier runs, and names the recipes that all shards left out', async ({
  project,
}) => {
  const inner = await greenTree(project);
  inner.write({ 'word.txt': 'bye' });
  for (const shard of ['1', '2']) {
    const env = { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(inner.dir, `blobs/shard-${shard}.zip`) };
    await inner.run([`--shard=${shard}/2`, '--reporter=blob', '--grep-invert=@AC2', '--project=recipes'], { env });
  }
  expect(indexIn(inner.dir)).toMatchObject({ totals: { declared: 3, passed: 0 }, proven: [] });
  const merged = await inner.merge(['--reporter=recipewright/playwright/reporter', 'blobs']);
  expect(merged.exitCode).toBe(1);
  expect(indexIn(inner.dir)).toMatchObject({
    html: '0 of 3 recipes passed, 1 not run (--grep-invert=@AC2 --project=recipes)',
    recipes: { 'recipes/a': 'fail', 'recipes/b': 'not_run', 'recipes/c': 'fail' },
  });
});

test('the index says why a recipe was skipped, is not valid or has no secret, and lists its claims', async ({ project }) => {
  const secret = recipe(
    { speak: say('hello'), listen: hears('speak', 'hello', { proofTarget: 'AC9' }) },
    { title: 'Needs a secret', targets: ['AC9'], inputs: { token: { type: 'secret-ref', ref: 'env:NO_SUCH_TOKEN' } } },
  );
  const broken = { ...(wordRecipe('AC8') as object), titel: 'A typo' };
  const inner = project(
    {
      'recipes.setup.ts': wordFiles['recipes.setup.ts'],
      'recipes/broken.recipe.json': broken,
      'recipes/secret.recipe.json': secret,
      'left/out.recipe.json': sound(),
      'tests/skipped.spec.ts': `
        import { recipes, test } from 'recipewright/playwright';
        test.describe(() => { test.skip(true, 'no device'); recipes('../left/*.recipe.json'); });`,
    },
    { config: { testDir: 'tests' } },
  );
  expect((await inner.run()).exitCode).toBe(1);
  const { resolutions, text } = indexIn(inner.dir);
  const of = (end: string) => resolutions.find(({ id }) => id.startsWith(end));
  expect(of('recipes/broken')).toMatchObject({ outcome: 'unknown', claims: [{ id: 'AC8' }] });
  expect(of('recipes/broken')?.detail).toMatch(/titel.*\[recipe\.\w+\]/s);
  expect(text).toMatch(/^- AC8 of recipes\/broken: The claim of AC8 holds\. /m);
  expect(text).toMatch(/^- AC9 of recipes\/secret: The claim of AC9 holds\. /m);
  expect(text).toMatch(/^\| .*recipes\/secret.* \| unknown \| AC9 unproven \| .*NO.*SUCH.*TOKEN/m);
  expect(of('left/out')).toMatchObject({ outcome: 'skipped', detail: 'The test was skipped: no device.' });
});
