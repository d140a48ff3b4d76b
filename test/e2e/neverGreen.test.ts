// Verdicts: a recipe that proves nothing fails in Playwright, its package says why, and one assertion that can fail is enough. There is one
// recipe for each rule here, and test/browser/neverGreen.test.ts has all recipes.
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import type { Files, Run } from '../support/project.js';
import { type Expected, notShown, proofless, smoke, visible, visiblePage } from '../support/proofless.js';
import { recipe, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

// The tests share one run.
test.describe.configure({ mode: 'default' });

const pages = await servePages();

function expectRed(run: Run, id: string, { reason, ...expected }: Expected): void {
  const found = packageOf(run, `recipes/${id}`);
  expect(found.summary, id).toMatchObject({ ...expected, reason: expect.stringContaining(reason) });
  if (expected.cause_class === undefined) expect(found.summary, id).not.toHaveProperty('cause_class');
  const reportedTest = testsIn(run.report).find(({ file }) => file === `recipes/${id}.recipe.json`);
  expect(reportedTest, id).toMatchObject({ ok: false, results: [{ status: 'failed' }] });
}

const documents = (all: Record<string, object>): Files =>
  Object.fromEntries(Object.entries(all).map(([id, document]) => [`recipes/${id}.recipe.json`, document]));

const rules = ['one-of-two', 'ends-unknown', 'ends-failed', 'nothing-fallible', 'tolerated', 'blocked', 'teardown'];
const red = Object.entries(proofless).filter(([id]) => rules.includes(id));

const { b, c } = visible(pages.url(visiblePage));
const claims = { targets: ['AC1'] };
const actions = { 'lab.nothing': 'return {};', 'lab.count': 'return { output: { count: 1 } };' };
const runAll = shareRun({
  'recipes.setup.ts': setupFile(actions).replace('fallible: () => true,', ''),
  ...documents(Object.fromEntries(red.map(([id, [document]]) => [id, document]))),
  ...documents({ b: recipe(b, claims), c: recipe(c, claims), ...smoke, 'zz-sound': sound() }),
});

test('a recipe that proves nothing never passes', async ({ project }) => {
  const { run } = await runAll(project);
  const failing = rules.length + 1;
  expect(run).toMatchObject({ exitCode: 1, stderr: '', passed: 5, failed: failing, flaky: 0, skipped: 0 });
  expect(run.packages.size).toBe(failing + 5);
  for (const found of run.packages.values()) expectWhole(found);
  for (const [id, [, expected]] of red) expectRed(run, id, expected);
  const torn = packageOf(run, 'recipes/teardown').trace.filter(({ phase }) => phase === 'teardown');
  expect(torn).toMatchObject([
    { nodeId: 'teardown:0', ok: false },
    { nodeId: 'teardown:1', ok: true },
  ]);
});

test('a visible claim without an artifact is unknown', async ({ project }) => {
  const { run } = await runAll(project);
  expectRed(run, 'b', { status: 'unknown', reason: notShown });
  const { status, proof } = packageOf(run, 'recipes/c').summary;
  expect({ status, proof }).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven', held: 1 }] });
  expect(proof[0]?.artifacts).toBeGreaterThanOrEqual(1);
});

test('a recipe without claims passes if it has an assertion that could have failed', async ({ project }) => {
  const { run } = await runAll(project);
  for (const id of Object.keys(smoke)) {
    expect(packageOf(run, `recipes/${id}`).summary, id).toMatchObject({ status: 'pass', reason: 'the recipe passed' });
    expect(testsIn(run.report).find(({ file }) => file === `recipes/${id}.recipe.json`)).toMatchObject({ ok: true });
  }
});
