// Merged shards give the same result in any order, and a retry hides no failure (rows F38 and F39 in this host).
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expectWhole, hash } from '../support/evidence.js';
import { readHtmlReport } from '../support/htmlReport.js';
import { allWithoutTimes } from '../support/normalizePackage.js';
import { filesBelow, packageOf } from '../support/packages.js';
import { expect, type Project, type Run, test } from '../support/project.js';
import { exit, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';

type Suite = {
  status: string;
  problems?: string[];
  totals: Record<string, number>;
  resolutions: { id: string; kind: string; detail?: string }[];
};

/** Every order and every missing shard in "npm run test:all", and otherwise a selection. */
const isFull = process.env.RECIPEWRIGHT_ALL !== undefined;
const numbers = [1, 2, 3, 4];
const orders = numbers.flatMap((a) =>
  numbers.flatMap((b) => numbers.flatMap((c) => numbers.map((d) => [a, b, c, d]).filter((order) => new Set(order).size === 4))),
);

// The first shard has no recipe, but has a report too.
const native = "import { test } from '@playwright/test';\nfor (const title of ['one', 'two']) test(title, () => undefined);\n";
const [ofNative, last] = [1, 4];
const lastFile = 'recipes/c.recipe.json';
const green = Object.fromEntries(['a', 'b', 'c'].map((name) => [`recipes/${name}.recipe.json`, sound(`Sound ${name}`)]));
const red = recipe({ speak: say('hello'), leave: exit(3) }, { title: 'Sound c' });

async function shard(inner: Project, number: number): Promise<void> {
  const env = { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(inner.dir, `blobs/${number}.zip`) };
  await inner.run([`--shard=${number}/4`, '--reporter=blob'], { env });
}

/** Merges the shards in the order of their new names, and returns the digests of the result. */
async function mergeAs(inner: Project, order: readonly number[]): Promise<{ run: Run; files: Record<string, string> }> {
  const folder = join(inner.dir, 'ordered');
  for (const dir of [folder, join(inner.dir, 'recipe-results')]) rmSync(dir, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [place, number] of order.entries()) cpSync(join(inner.dir, `blobs/${number}.zip`), join(folder, `${place}.zip`));
  const run = await inner.merge(['--reporter=recipewright/playwright/reporter', 'ordered']);
  const results = join(inner.dir, 'recipe-results');
  const written = filesBelow(results).map((file) => [file, hash(readFileSync(join(results, file)))]);
  return { run, files: Object.fromEntries(written) as Record<string, string> };
}

const suiteOf = (inner: Project): Suite =>
  JSON.parse(readFileSync(join(inner.dir, 'recipe-results/suite.json'), 'utf8')) as Suite;

test('F38 four shards give the packages of one run, the same bytes in any order, and the exit code of the merged verdict, and a missing shard is named', async ({
  project,
}) => {
  const inner = project({ 'tests/native.spec.ts': native, ...green });
  for (const number of numbers) await shard(inner, number);
  await test.step('a merge without one of the shards does not pass, whether or not that shard has recipes', async () => {
    const whole = await mergeAs(inner, [4, 3, 2, 1]);
    expect(whole.run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(suiteOf(inner).totals).toMatchObject({ declared: 3, passed: 3, unknown: 0 });
    for (const missing of isFull ? numbers : [ofNative, 3]) {
      const { run } = await mergeAs(
        inner,
        numbers.filter((number) => number !== missing),
      );
      expect(run.exitCode).toBe(1);
      expect(run.stdout).toContain(`shard ${missing} of 4: The report of this shard is missing from the merge.`);
      const { status, problems, totals, resolutions } = suiteOf(inner);
      // The shard is not a recipe: it is reported as a problem, so that the rest does not count as complete.
      expect({ status, problems }).toEqual({ status: 'unknown', problems: [expect.stringMatching(`^shard ${missing} of 4: `)] });
      expect([totals.unknown, resolutions.filter(({ id }) => !id.startsWith('recipes/'))]).toEqual([0, []]);
      expect(totals.declared).toBe(missing === ofNative ? 3 : 2);
    }
  });
  await test.step('the last shard has a recipe that fails', async () => {
    inner.write({ [lastFile]: red });
    const direct = await inner.run();
    const packages = allWithoutTimes(direct.packages);
    expect(direct).toMatchObject({ exitCode: 1, passed: 4, failed: 1 });
    await shard(inner, last);
    const some = isFull ? orders : [orders.at(-1) as number[], orders[9] as number[]];
    const merged = await mergeAs(inner, [1, 2, 3, 4]);
    expect(merged.run).toMatchObject({ exitCode: 1, stderr: '' });
    expect(allWithoutTimes(merged.run.packages)).toEqual(packages);
    expect(Object.keys(merged.files).filter((file) => file.endsWith('summary.json'))).toHaveLength(3);
    for (const order of some) {
      const again = await mergeAs(inner, order);
      expect(again.files, order.join(', ')).toEqual(merged.files);
      expect(again.run.exitCode).toBe(1);
    }
  });
});

test('F39 two failed attempts and a pass keep three packages, and every report calls the recipe flaky', async ({ project }) => {
  const setup = setupFile(
    {
      'lab.third':
        "if (test.info().retry < 2) throw new RecipeError('lab.early', 'action', 'Too early.'); return { output: {} };",
    },
    "import { test } from '@playwright/test';",
  );
  const reporter = [
    ['list'],
    ['json', { outputFile: 'report.json' }],
    ['junit', { outputFile: 'junit.xml', includeRetries: true }],
    ['html'],
    ['recipewright/playwright/reporter'],
  ];
  const inner = project(
    { 'recipes.setup.ts': setup, 'recipes/a.recipe.json': recipe({ third: { action: 'lab.third' } }, { title: 'Third time' }) },
    { config: { retries: 2, reporter } },
  );
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, passed: 0, failed: 0, flaky: 1 });
  expect([...run.packages.keys()].sort()).toEqual(['.attempts/recipes/a/0', '.attempts/recipes/a/1', 'recipes/a']);
  for (const [id, status] of [
    ['.attempts/recipes/a/0', 'fail'],
    ['.attempts/recipes/a/1', 'fail'],
    ['recipes/a', 'pass'],
  ] as const) {
    expectWhole(packageOf(run, id));
    expect(packageOf(run, id).summary.status).toBe(status);
  }
  // Each attempt has its own package with another digest.
  expect(new Set([...run.packages.values()].map(({ journal }) => hash(journal.join('\n')))).size).toBe(3);

  expect(run.stdout).toMatch(/\n {2}1 flaky\n/);
  expect(run.stdout).toMatch(/flaky +recipes\/a/);
  expect(suiteOf(inner).resolutions).toMatchObject([{ id: 'recipes/a', status: 'pass', flaky: true }]);
  expect(readFileSync(join(inner.dir, 'recipe-results/index.md'), 'utf8')).toContain('| pass, flaky |');
  expect(testsIn(run.report)[0]?.results.map(({ status }) => status)).toEqual(['failed', 'failed', 'passed']);
  const [file] = readHtmlReport(join(inner.dir, 'playwright-report/index.html'));
  expect(file?.tests[0]).toMatchObject({ title: 'Third time', outcome: 'flaky', results: [{}, {}, {}] });
  const junit = readFileSync(join(inner.dir, 'junit.xml'), 'utf8');
  expect(junit.match(/<flaky(Failure|Error)\b/g)).toHaveLength(2);
});
