// Packages, index and exit code agree, whatever else fails in the run.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, packageOf } from '../support/packages.js';
import { expect, type Project, test } from '../support/project.js';
import { recipe, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const ownReporter = ['recipewright/playwright/reporter'];

function indexOf({ dir }: Project): { table: string; page: string; suite: { problems?: string[] } } {
  const read = (name: string) => readFileSync(join(dir, 'recipe-results', name), 'utf8');
  return { table: read('index.md'), page: read('index.html').replaceAll('&#39;', "'"), suite: JSON.parse(read('suite.json')) };
}

function expectProblem(inner: Project, text: string | RegExp): void {
  const { table, page, suite } = indexOf(inner);
  expect(table).toMatch(text);
  expect(page).toMatch(text);
  expect(suite.problems?.join('\n')).toMatch(text);
}

test('an error that an action throws after its test makes its package unknown, and the index says so', async ({ project }) => {
  const inner = project({
    // Throws when the worker is torn down, so that the test has certainly ended.
    'recipes.setup.ts': setupFile(
      {
        'lab.late': `
          const released = new Promise((resolve) => { late.release = resolve; });
          late.thrown = released.then(() => new Promise((resolve) => {
            setTimeout(() => { setTimeout(resolve, 1); throw new Error('Late boom'); }, 1);
          }));
          return {};`,
      },
      `import { test as base } from 'recipewright/playwright';
      const late = {};
      export const test = base.extend({
        around: [async ({}, use) => { await use(); late.release?.(); await late.thrown; }, { scope: 'worker', auto: true }],
      });`,
    ),
    'recipes/a.recipe.json': sound(),
    'recipes/late.recipe.json': recipe({ late: { action: 'lab.late' } }),
  });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 2 });
  expect(packageOf(run, 'recipes/a').summary.status).toBe('pass');
  expect(packageOf(run, 'recipes/late').summary).toMatchObject({
    status: 'unknown',
    reason: expect.stringContaining('Late boom'),
    host_failure: expect.stringContaining('Late boom'),
  });
  expectProblem(inner, /The test run failed: .*Late boom/);
  expect(indexOf(inner).table).toContain('# Recipes: 1 of 2 passed, but the run failed');

  const quiet = await inner.run(['--reporter=line']);
  expect(quiet.exitCode).toBe(1);
  expect(packageOf(quiet, 'recipes/late').summary).toMatchObject({
    status: 'unknown',
    host_failure: expect.stringContaining('Late boom'),
  });
  expect(indexOf(inner).table).toContain('# Recipes: 1 of 2 passed');
});

test('a global teardown that throws or exits cannot make the exit code and the index differ, with and without the recipe reporter', async ({
  project,
}) => {
  const look = "process.exit(require('node:fs').existsSync('red') ? 1 : 0)";
  const inner = project(
    {
      'recipes/a.recipe.json': recipe({ look: { action: 'command', argv: ['node', '-e', look] } }),
      'teardown.ts': "export default () => { if (process.env.LEAVE) process.exit(0); throw new Error('No teardown.'); };",
    },
    { config: { globalTeardown: './teardown.ts' } },
  );
  const titles = () => [/^# .*$/m.exec(indexOf(inner).table)?.[0], /<h1>(.*?)<\/h1>/.exec(indexOf(inner).page)?.[1]];
  const green = ['# Recipes: 1 of 1 passed, but the run failed', '1 of 1 recipes passed, but the run failed'];
  expect(await inner.run()).toMatchObject({ exitCode: 1, passed: 1 });
  expect(titles()).toEqual(green);
  expectProblem(inner, /The test run failed: .*No teardown/);
  expect((await inner.run(['--reporter=line'])).exitCode).toBe(1);
  expect(titles()).toEqual(green);
  expectProblem(inner, /The test run failed: Playwright ended with exit code 1\./);

  const env = { LEAVE: '1' };
  expect((await inner.run([], { env })).exitCode).toBe(1);
  expect(titles()).toEqual(green);
  expectProblem(inner, /The process ended before Playwright reported the end of the run\./);
  inner.write({ red: '' });
  expect((await inner.run(['--reporter=line'], { env })).exitCode).toBe(1);
  expect(titles()[0]).toMatch(/^# Recipes: 0 of 1 passed/);
});

test('failures outside the recipes are in the index of recipes that passed', async ({ project }) => {
  const inner = project({
    'recipes/a.recipe.json': sound(),
    'tests/native.spec.ts': "import { test } from '@playwright/test';\ntest('Buys a mug', () => { throw new Error('no mug'); });",
  });
  expect(await inner.run()).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expectProblem(inner, /The test run failed: .*Buys a mug/);
  expect(await inner.run(['recipes'])).toMatchObject({ exitCode: 0 });
  expect(indexOf(inner).table).not.toContain('failed:');
  expect(indexOf(inner).suite).not.toHaveProperty('problems');
});

test('a reporter of the project that changes the result of the run cannot make the exit code and the index differ', async ({
  project,
}) => {
  const reporter = (name: string, body: string) => ({
    [`${name}.ts`]: `export default class { printsToStdio() { return false; } ${body} }`,
  });
  const start = (name: string, document: object, body: string) => {
    const reporters = [['json', { outputFile: 'report.json' }], ownReporter, [`./${name}.ts`]];
    return project({ 'recipes/a.recipe.json': document, ...reporter(name, body) }, { config: { reporter: reporters } });
  };
  const red = recipe({ leave: { action: 'command', argv: ['node', '-e', 'process.exit(1)'] } });
  const forgiving = start(
    'forgiving',
    red,
    `onEnd() { process.exitCode = 0; return { status: 'passed' }; }
      async onExit() { process.on('exit', () => { process.exitCode = 0; process.exit(0); }); process.exit(0); }`,
  );
  const strict = start('strict', sound(), "onEnd() { return { status: 'failed' }; }");
  const [forgiven, refused] = [await forgiving.run(), await strict.run()];
  expect(forgiven).toMatchObject({ exitCode: 1, failed: 1 });
  expect(indexOf(forgiving).table).toContain('# Recipes: 0 of 1 passed');
  expect(refused).toMatchObject({ exitCode: 1, passed: 1 });
  expectProblem(strict, /The test run failed: .*exit code 1/);
});

const canMount = process.getuid?.() === 0 && existsSync('/bin/mount');

test('an index on a full disk claims no more than the complete packages', async ({ project }) => {
  test.skip(!canMount, 'Only root can mount a small disk.');
  const inner = project({
    'recipes/a.recipe.json': sound(),
    'recipes/b.recipe.json': sound(),
    'recipes/c.recipe.json': sound(),
  });
  const disk = join(inner.dir, 'recipe-results');
  mkdirSync(disk);
  const observations: string[] = [];
  /** Runs on a disk of this size in kB, and returns how much of it the run used. */
  const runOn = async (size: number, args: string[] = []): Promise<number> => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}k`, 'none', disk], { stdio: 'pipe' });
    } catch {
      test.skip(true, 'Nothing can be mounted here.');
    }
    try {
      const { exitCode, stdout } = await inner.run(args);
      expect(readdirSync(disk).filter((name) => name.startsWith('.suite.lock'))).toEqual([]);
      expect(stdout).not.toMatch(/did not exit within/);
      if (exitCode !== 0) expect(stdout).toMatch(/ENOSPC/);
      const index = filesBelow(disk).filter((name) => /^(index\.(md|html)|suite\.json)$/.test(name));
      const texts = index.map((name) => readFileSync(join(disk, name), 'utf8'));
      const claims = texts.some((text) => /3 of 3 (recipes )?passed|"state": "finished"[\s\S]*"passed": 3/.test(text));
      const doubts = texts.filter((text) => /could not be written/.test(text)).length;
      observations.push(
        `${size}: exit ${exitCode}, ${claims ? 'claims all' : 'claims less'}, ${doubts} of ${index.length} doubt`,
      );
      if (exitCode === 0) expect([claims, doubts, index.length], String(size)).toEqual([true, 0, 3]);
      else expect(!claims || doubts === index.length, observations.at(-1)).toBe(true);
      const { blocks, bfree, bsize } = statfsSync(disk);
      return ((blocks - bfree) * bsize) / 1024;
    } finally {
      execFileSync('umount', [disk]);
    }
  };
  // The disk is large enough, or too small for the index, which is written last and replaces an old one, or too small for the packages.
  const enough = await runOn(600);
  await runOn(enough);
  await runOn(120);
  await runOn(128, ['--reporter=line']);
  expect(observations).toEqual([
    expect.stringContaining('600: exit 0'),
    expect.stringContaining('exit 1'),
    expect.stringContaining('120: exit 1'),
    expect.stringContaining('128: exit 1'),
  ]);
});
