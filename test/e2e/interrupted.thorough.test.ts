// A run that a signal ends never passes (row F25 in this host).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCount } from '../property/runCount.js';
import { expectChain, expectWhole } from '../support/evidence.js';
import { readHtmlReport } from '../support/htmlReport.js';
import { packageOf } from '../support/packages.js';
import { expect, type Run, test } from '../support/project.js';
import { type Node, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';
import { unzip } from '../support/zip.js';

const setup = setupFile(
  {
    'lab.hang': "writeFileSync('hanging', ''); console.log('it hangs'); await new Promise(() => undefined);",
    'lab.fail':
      "while (!existsSync('hanging')) await new Promise((again) => setTimeout(again, 20)); throw new RecipeError('lab.no', 'action', 'No.');",
  },
  "import { existsSync, writeFileSync } from 'node:fs';",
);

const hanging = (teardown: Node[]) =>
  recipe({ before: say('alive'), hang: { action: 'lab.hang' } }, { title: 'It hangs', teardown });

function expectInterrupted(run: Run, id: string, rest: readonly object[] = []): void {
  const found = packageOf(run, id);
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown' });
  expect(found.trace).toMatchObject([
    { nodeId: 'before', ok: true },
    { nodeId: 'hang', ok: false },
    { nodeId: 'teardown:0', ok: true },
    ...rest,
  ]);
  // No test timed out, and no report shows an interrupted test as passed.
  expect.soft(found.summary.reason).toContain('interrupted');
  expect.soft(found.summary.reason).not.toContain('time of the test');
  expect.soft(run.stdout).not.toContain('the test passed');
}

test('a recipe that is stopped because another one failed is interrupted, not timed out', async ({ project }) => {
  const files = {
    'recipes/a.recipe.json': recipe({ fail: { action: 'lab.fail' } }),
    'recipes/b.recipe.json': hanging([say('bye')]),
    'recipes/c.recipe.json': sound(),
  };
  const run = await project({ 'recipes.setup.ts': setup, ...files }, { config: { workers: 2, maxFailures: 1 } }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  expectInterrupted(run, 'recipes/b');
  expectChain(packageOf(run, 'recipes/a'));
  expect([...run.packages.keys()].sort()).toEqual(['recipes/a', 'recipes/b']);
});

const reporter = [
  ['list'],
  ['json', { outputFile: 'report.json' }],
  ['junit', { outputFile: 'junit.xml' }],
  ['html'],
  ['blob'],
  ['recipewright/playwright/reporter'],
];
const times = (usual: number): number[] => Array.from({ length: runCount(usual).numRuns ?? usual }, (_, index) => index);

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test(`F25 ${signal} in a node ends the run with ${exitCode}, the teardown and the package are complete, and nothing passes`, async ({
    project,
  }) => {
    // The second command of the teardown would take longer than a stopped run may take.
    const stopped = hanging([say('bye'), { action: 'command', argv: ['sleep', '20'] }]);
    for (const _ of times(1)) {
      const inner = project(
        { 'recipes.setup.ts': setup, 'recipes/a.recipe.json': stopped, 'recipes/b.recipe.json': sound() },
        { config: { reporter } },
      );
      const textOf = (file: string): string => readFileSync(join(inner.dir, file), 'utf8');
      const run = await inner.run([], { send: { when: 'it hangs', signal } });
      expect(run).toMatchObject({ exitCode, passed: 0 });
      expect([...run.packages.keys()]).toEqual(['recipes/a']);
      expectInterrupted(run, 'recipes/a', [{ nodeId: 'teardown:1', ok: false }]);
      expect(JSON.parse(textOf('recipe-results/suite.json'))).toMatchObject({
        totals: { declared: 2, executed: 1, passed: 0, failed: 0, unknown: 2, skipped: 0 },
      });
      expect(testsIn(run.report).map(({ results }) => results.map(({ status }) => status))).toEqual([['interrupted'], []]);
      expect(textOf('junit.xml').trimEnd()).toMatch(/<\/testsuites>$/);
      expect(readHtmlReport(join(inner.dir, 'playwright-report/index.html')).length).toBeGreaterThan(0);
      expect(unzip(readFileSync(join(inner.dir, 'blob-report/report.zip'))).size).toBeGreaterThan(0);
    }
  });
}
