// In Vitest, the index of an output directory describes only the last run, and names the recipes that the run left out.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hears, recipe, say } from '../support/recipe.js';
import { indexBytes, indexIn, keepResults, restoreResults, wordFiles, wordRecipe } from '../support/staleTree.js';
import { shared, type VitestProject, vitestProject } from '../support/vitestProject.js';

const config = `
  import { withRecipes } from 'recipewright/vitest';
  import { defineConfig } from 'vitest/config';

  if (process.env.THROW) throw new Error('The config throws.');

  export default withRecipes(defineConfig({ test: { maxWorkers: 1 } }), {
    recipes: 'recipes/**/*.recipe.json',
    setup: './recipes.setup.ts',
  });
`;

const green = { 'recipes/a': 'pass', 'recipes/b': 'pass', 'recipes/c': 'pass' };
const unknown = { 'recipes/a': 'unknown', 'recipes/b': 'unknown', 'recipes/c': 'unknown' };

const greenRun = shared(async (atEnd) => {
  const project = vitestProject({ ...wordFiles, 'vitest.config.ts': config }, {}, atEnd);
  expect(await project.run()).toMatchObject({ exitCode: 0 });
  expect(indexIn(project.dir)).toMatchObject({ html: '3 of 3 recipes passed', recipes: green, proven: ['AC1', 'AC2', 'AC3'] });
  keepResults(project.dir);
  return project;
});

/** Creates an output directory with the results of a passed run. */
async function greenTree(): Promise<VitestProject> {
  const project = await greenRun();
  rmSync(join(project.dir, 'hang'), { force: true });
  project.write(wordFiles);
  restoreResults(project.dir);
  return project;
}

test('the index claims nothing of the previous run when a run is killed or its config throws', async () => {
  const project = await greenTree();
  project.write({ 'word.txt': 'bye', hang: '' });
  const started = project.start(['run']);
  await started.sees('it hangs');
  if (started.child.pid !== undefined) process.kill(-started.child.pid, 'SIGKILL');
  await started.ended;
  const killed = indexIn(project.dir);
  expect(killed).toMatchObject({ state: 'running', proven: [], totals: { declared: 3, passed: 0 } });
  expect(killed.md).toMatch(/^Recipes: 3 planned, [012] finished: unknown$/);
  expect(killed.html).toMatch(/^3 recipes planned, [012] finished: unknown$/);
  expect(killed.recipes).toMatchObject({ 'recipes/b': 'unknown' });

  restoreResults(project.dir);
  expect((await project.run([], { env: { THROW: '1' } })).exitCode).toBe(1);
  expect(indexIn(project.dir)).toMatchObject({ recipes: unknown, proven: [], totals: { declared: 3, passed: 0, unknown: 3 } });
  expect(indexIn(project.dir).html).toBe('0 of 3 recipes passed');
});

test('the index names the recipes that a run left out, with their claims and the option that left them out', async () => {
  const project = await greenTree();
  const run = async (...args: string[]) => {
    restoreResults(project.dir);
    expect((await project.run(args)).exitCode).toBe(0);
    return indexIn(project.dir);
  };
  const byName = await run('-t', 'Proves AC2');
  expect(byName).toMatchObject({
    html: '1 of 3 recipes passed, 2 not run (-t &#39;Proves AC2&#39;)',
    recipes: { 'recipes/a': 'not_run', 'recipes/b': 'pass', 'recipes/c': 'not_run' },
    totals: { declared: 3, executed: 1, passed: 1, unknown: 0, skipped: 0, not_run: 2 },
    proven: ['AC2'],
  });
  expect(byName.resolutions.find(({ id }) => id === 'recipes/c')).toMatchObject({
    detail: "Left out by -t 'Proves AC2'.",
    claims: [{ id: 'AC3', claim: 'The claim of AC3 holds.' }],
  });
  expect((await run('--shard=1/3')).html).toBe('1 of 3 recipes passed, 2 not run (--shard=1/3)');
  expect((await run('--passWithNoTests', 'nothing.test.ts')).html).toBe('0 of 3 recipes passed, 3 not run (nothing.test.ts)');

  restoreResults(project.dir);
  project.write({ 'word.txt': 'bye' });
  expect((await project.run(['--bail=1'])).exitCode).toBe(1);
  const bailed = indexIn(project.dir);
  expect(bailed).toMatchObject({
    html: '0 of 3 recipes passed, 2 not run (--bail=1)',
    totals: { declared: 3, executed: 1, failed: 1, unknown: 0, skipped: 0, not_run: 2 },
  });
  expect(bailed.text).not.toContain('interrupted');
});

test('the index stays as it is when tests are listed or benchmarks run, drops deleted recipes, and is replaced by a merge', async () => {
  const project = await greenTree();
  const before = indexBytes(project.dir);
  expect((await project.start(['list']).ended).exitCode).toBe(0);
  const bench = ['bench', '--run', '--passWithNoTests', '--reporter=default', '--reporter=recipewright/vitest/reporter'];
  expect((await project.start(bench).ended).exitCode).toBe(0);
  expect((await project.run(['--merge-reports=no-such-folder'])).exitCode).toBe(1);
  expect(indexBytes(project.dir)).toEqual(before);

  rmSync(join(project.dir, 'recipes/c.recipe.json'));
  expect((await project.run()).exitCode).toBe(0);
  const first = indexIn(project.dir);
  expect(first).toMatchObject({ html: '2 of 3 recipes passed, 1 not run', recipes: { ...green, 'recipes/c': 'not_run' } });
  expect(first.resolutions.find(({ id }) => id === 'recipes/c')?.claims).toEqual([
    { id: 'AC3', claim: 'The claim of AC3 holds.' },
  ]);

  project.write({ 'word.txt': 'bye' });
  expect((await project.run(['--reporter=blob'])).exitCode).toBe(1);
  expect(indexIn(project.dir)).toMatchObject({ html: '0 of 2 recipes passed', proven: [] });
  expect((await project.run(['--merge-reports'])).exitCode).toBe(1);
  expect(indexIn(project.dir)).toMatchObject({
    html: '0 of 2 recipes passed',
    recipes: { 'recipes/a': 'fail', 'recipes/b': 'fail' },
  });
});

test('the index says why an invalid recipe or one without its secret did not run, and its claims are unproven', async () => {
  const secret = recipe(
    { speak: say('hello'), listen: hears('speak', 'hello', { proofTarget: 'AC9' }) },
    { title: 'Needs a secret', targets: ['AC9'], inputs: { token: { type: 'secret-ref', ref: 'env:NO_SUCH_TOKEN' } } },
  );
  const project = vitestProject({
    'recipes.setup.ts': wordFiles['recipes.setup.ts'],
    'recipes/broken.recipe.json': { ...(wordRecipe('AC8') as object), titel: 'A typo' },
    'recipes/secret.recipe.json': secret,
  });
  expect((await project.run()).exitCode).toBe(1);
  const { resolutions, text } = indexIn(project.dir);
  const broken = resolutions.find(({ id }) => id === 'recipes/broken');
  expect(broken).toMatchObject({ outcome: 'unknown', claims: [{ id: 'AC8', claim: 'The claim of AC8 holds.' }] });
  expect(broken?.detail).toMatch(/titel.*\[recipe\.\w+\]/s);
  expect(text).toContain('2 claimed: 0 proven, 0 refuted, 2 unproven, 0 blocked.');
  expect(text).toMatch(/^\| .*recipes\/secret.* \| unknown \| AC9 unproven \| .*NO.*SUCH.*TOKEN/m);
});
