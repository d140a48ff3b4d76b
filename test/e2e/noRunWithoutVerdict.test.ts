// A native test cannot hide the verdict of a recipe that it runs, whatever it does with the promise.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testMs } from '../support/patience.js';
import { expect, type Run, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';

const red = recipe({ speak: say('hello'), listen: hears('speak', 'goodbye') }, { title: 'Red' });
const endless = { action: 'command', argv: ['node', '-e', 'setInterval(() => {}, 60_000)'], timeout_ms: testMs };
const slow = recipe({ wait: endless });
const files = {
  'recipes/green.recipe.json': sound(),
  'recipes/red.recipe.json': red,
  'recipes/slow.recipe.json': slow,
};
const spec = (body: string) => ({ 'tests/native.spec.ts': `import { expect, test } from 'recipewright/playwright';\n${body}\n` });

function errorsOf(run: Run, title: string): string {
  const found = testsIn(run.report).find((one) => one.title === title);
  return (found?.results.at(-1)?.errors ?? []).map(({ message }) => message).join('\n');
}

/** Returns the statuses of packages by the titles of their tests. */
function statusesOf(run: Run): Record<string, string> {
  const nested = [...run.packages].filter(([name]) => /--[0-9a-f]{8}(-\d+)?$/.test(name) && !name.startsWith('.attempts'));
  return Object.fromEntries(nested.map(([name, { summary }]) => [name.replace(/--[0-9a-f]{8}/, ''), summary.status]));
}

test('a recipe whose promise is not awaited, or whose error is swallowed, fails its test', async ({ project }) => {
  const inner = project({
    ...files,
    ...spec(`
      test('void', async ({ recipe }) => { void recipe.run('recipes/green.recipe.json'); });
      test('caught', async ({ recipe }) => { recipe.run('recipes/red.recipe.json').catch(() => {}); });
      test('raced', async ({ recipe }) => { await Promise.race([recipe.run('recipes/red.recipe.json'), Promise.resolve()]); });
      test('running', async ({ recipe }) => {
        test.setTimeout(0);
        void recipe.run('recipes/slow.recipe.json');
        await expect.poll(() => test.info().attachments.length, { timeout: 0, intervals: [20] }).toBeGreaterThan(0);
      });
      test('swallowed', async ({ recipe }) => {
        try { await recipe.run('recipes/red.recipe.json'); } catch {}
        await recipe.call('no.such').catch(() => {});
      });
      test('expected', async ({ recipe }) => { test.fail(); await recipe.run('recipes/red.recipe.json'); });
      test('skipped', async ({ recipe }) => { await recipe.run('recipes/red.recipe.json').catch(() => {}); test.skip(); });
      const cheating = test.extend<{ cheat: void }>({
        cheat: [async ({}, use, testInfo) => { await use(); testInfo.expectedStatus = 'failed'; }, { auto: true }],
      });
      cheating('cheats', async ({ recipe }) => {
        await recipe.run('recipes/red.recipe.json').catch(() => {});
        await recipe.run('recipes/nope.recipe.json').catch(() => {});
      });
      test('awaited', async ({ recipe }) => { await recipe.run('recipes/green.recipe.json'); });
      test('together', async ({ recipe }) => {
        await Promise.all([recipe.run('recipes/green.recipe.json'), recipe.run('recipes/green.recipe.json')]);
      });
      test('later', async ({ recipe }) => {
        const running = recipe.run('recipes/green.recipe.json');
        await Promise.resolve();
        await running;
      });`),
    'tests/late.spec.ts': `import { test as base } from 'recipewright/playwright';
      let late: () => Promise<unknown> = async () => undefined;
      const test = base.extend<object, { last: void }>({
        last: [async ({}, use) => { await use(); await late(); }, { scope: 'worker', auto: true }],
      });
      let kept: { run(file: string): Promise<unknown> };
      test('keeps', async ({ recipe }) => { kept = recipe; });
      test('uses', async () => { await kept.run('recipes/green.recipe.json').catch(() => {}); });
      test('leaves', async ({ recipe }) => { late = () => recipe.run('recipes/red.recipe.json').catch(() => {}); });`,
    'tests/listed.spec.ts': `import { recipes, test } from 'recipewright/playwright';
      test.describe('expected to fail', () => { test.fail(); recipes('../recipes/red.recipe.json'); });`,
  });
  const run = await inner.run(['native.spec.ts', 'listed.spec.ts', 'late.spec.ts']);
  expect(run).toMatchObject({ exitCode: 1, passed: 5, failed: 10, skipped: 0 });
  for (const [title, file] of [
    ['void', 'green'],
    ['running', 'slow'],
    ['caught', 'red'],
    ['raced', 'red'],
  ] as const)
    expect(errorsOf(run, title), title).toContain(
      `recipes/${file}.recipe.json was still running when the test ended, so it has no verdict. Await the call: await recipe.run(`,
    );
  for (const title of ['swallowed', 'skipped', 'cheats'])
    expect(errorsOf(run, title), title).toContain('recipes/red.recipe.json did not pass, but the test continued');
  expect(errorsOf(run, 'uses')).toContain(
    'recipes/green.recipe.json was not run, because the test that `recipe` belongs to has ended.',
  );
  expect(run.report?.errors.map(({ message }) => message).join()).toContain('recipes/red.recipe.json was not run');
  expect(errorsOf(run, 'swallowed')).toContain('no.such did not pass, but the test continued');
  expect(errorsOf(run, 'cheats')).toContain('recipes/nope.recipe.json did not pass, but the test continued');
  expect(errorsOf(run, 'expected')).toContain('test.fail() does not turn that into a pass');
  const { 'recipes/green--void': voided, 'recipes/red--caught': caught, 'recipes/red--raced': raced, ...rest } = statusesOf(run);
  // These runs may or may not begin before the test ends.
  for (const status of [voided, caught, raced]) expect([undefined, 'unknown']).toContain(status);
  expect([...run.packages].find(([name]) => name.startsWith('recipes/slow--running'))?.[1].summary.reason).toContain(
    'the test ended before the recipe',
  );
  expect(rest).toEqual({
    'recipes/slow--running': 'unknown',
    'recipes/red--swallowed': 'fail',
    'recipes/red--cheats': 'fail',
    'recipes/red--expected': 'fail',
    'recipes/red--skipped': 'fail',
    'recipes/green--awaited': 'pass',
    'recipes/green--together': 'pass',
    'recipes/green--together-2': 'pass',
    'recipes/green--later': 'pass',
  });
});

test('only the recipes of the last attempt of a retried native test count', async ({ project }) => {
  const inner = project(
    {
      ...files,
      ...spec(`
        test('at last', async ({ recipe }) => {
          await recipe.run(test.info().retry === 0 ? 'recipes/red.recipe.json' : 'recipes/green.recipe.json');
        });`),
    },
    { config: { retries: 1 } },
  );
  const run = await inner.run(['native.spec.ts']);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', flaky: 1, failed: 0 });
  expect(statusesOf(run)).toEqual({ 'recipes/green--at-last': 'pass' });
  expect([...run.packages.keys()].filter((name) => name.startsWith('.attempts/recipes/red--at-last'))).toHaveLength(1);
  expect(readFileSync(join(inner.dir, 'recipe-results/index.md'), 'utf8')).toContain(' 1 passed, 0 failed, 0 unknown');
});

test('a passed test with a recipe that did not pass makes the whole run fail, also after a merge of reports', async ({
  project,
}) => {
  const inner = project(
    {
      ...files,
      ...spec(`
        const cheating = test.extend<{ cheat: void }>({
          cheat: [async ({}, use, testInfo) => { await use(); Object.defineProperty(testInfo, 'expectedStatus', { value: 'failed' }); }, { auto: true }],
        });
        cheating('cheats', async ({ recipe }) => { await recipe.run('recipes/red.recipe.json'); });`),
    },
    { config: { reporter: [['blob'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']] } },
  );
  const problem = /recipes\/red--cheats--\w+: the test passed, but its evidence says fail/;
  const run = await inner.run(['native.spec.ts']);
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 0 });
  expect(run.stdout).toMatch(problem);
  const merged = await inner.merge(['-c', 'playwright.config.ts', 'blob-report']);
  expect(merged).toMatchObject({ exitCode: 1 });
  expect(merged.stdout).toMatch(problem);
});
