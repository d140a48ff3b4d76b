// Verdicts that prove nothing: each recipe is red in Playwright, and its package says why.
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, type Run, test } from '../support/project.js';
import { end, exit, hears, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';

const pages = await servePages();

const page = pages.url('<h1 data-testid=total>Total 21</h1>');
const AC1 = { proofTarget: 'AC1' };
const claims = { targets: ['AC1'] };
const heard = { speak: say('hello'), listen: hears('speak', 'hello', AC1) };

type Expected = { status: 'fail' | 'unknown'; reason: string; cause_class?: string };

function expectRed(run: Run, id: string, { reason, ...expected }: Expected): void {
  const found = packageOf(run, `recipes/${id}`);
  expectWhole(found);
  expect(found.summary, id).toMatchObject({ ...expected, reason: expect.stringContaining(reason) });
  if (expected.cause_class === undefined) expect(found.summary, id).not.toHaveProperty('cause_class');
  const shown = testsIn(run.report).find(({ file }) => file === `recipes/${id}.recipe.json`);
  expect(shown, id).toMatchObject({ ok: false, results: [{ status: 'failed' }] });
}

test('a recipe is never green because it proved nothing', async ({ project }) => {
  const nothing = setupFile({ 'lab.nothing': 'return {};' }).replace('fallible: () => true,', '');
  const red: Record<string, [document: object, expected: Expected]> = {
    unproven: [
      recipe({ speak: say('hello', AC1) }, claims),
      { status: 'unknown', reason: 'AC1 is unproven: no assertion was evaluated for it' },
    ],
    skipped: [
      recipe(
        {
          speak: say('hello'),
          listen: hears('speak', 'hello', { ...AC1, when: { path: '$.speak.exitCode', operator: 'eq', value: 7 } }),
        },
        claims,
      ),
      { status: 'unknown', reason: 'AC1 is unproven: no assertion was evaluated for it' },
    ],
    'one-of-two': [recipe(heard, { targets: ['AC1', 'AC2'] }), { status: 'unknown', reason: 'AC2 is unproven' }],
    'ends-unknown': [
      recipe({ ...heard, over: end('unknown') }, claims),
      { status: 'unknown', reason: 'the recipe ended with status unknown' },
    ],
    'ends-failed': [
      recipe({ ...heard, over: end('fail') }, claims),
      { status: 'fail', reason: 'the recipe ended with status fail', cause_class: 'subject' },
    ],
    'nothing-fallible': [
      recipe({ rest: { action: 'lab.nothing' } }),
      { status: 'unknown', reason: 'no executed node could have failed' },
    ],
    'only-an-end': [recipe({ over: end('pass') }), { status: 'unknown', reason: 'no executed node could have failed' }],
    'all-skipped': [
      recipe(
        { speak: say('hello', { unless: { source: 'inputs', path: '$.off', operator: 'eq', value: true } }) },
        { inputs: { off: true } },
      ),
      { status: 'unknown', reason: 'no executed node could have failed' },
    ],
    'gated-end': [
      recipe({ ...heard, over: { ...end('pass'), when: { path: '$.speak.exitCode', operator: 'eq', value: 7 } } }, claims),
      { status: 'unknown', reason: 'status unknown' },
    ],
    tolerated: [
      recipe({ speak: say('hello'), listen: hears('speak', 'goodbye', { ...AC1, rw: { on_fail: 'continue' } }) }, claims),
      { status: 'fail', reason: 'AC1 is refuted: 1 of 1 assertions did not hold', cause_class: 'subject' },
    ],
    'smoke-tolerated': [
      recipe({ leave: exit(3, { rw: { on_fail: 'continue' } }) }),
      { status: 'unknown', reason: 'no executed node could have failed' },
    ],
    blocked: [
      recipe(heard, { proofTargets: [{ id: 'AC1', claim: 'It says hello.', blocked: 'no access yet' }] }),
      { status: 'unknown', reason: 'AC1 is blocked: no access yet' },
    ],
    teardown: [
      recipe(heard, { ...claims, teardown: [exit(3), say('still done')] }),
      { status: 'fail', reason: 'teardown:0: Command exited with 3', cause_class: 'subject' },
    ],
  };
  const files = Object.fromEntries(Object.entries(red).map(([id, [document]]) => [`recipes/${id}.recipe.json`, document]));
  const run = await project({ 'recipes.setup.ts': nothing, ...files, 'recipes/zz-sound.recipe.json': sound() }).run();

  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: Object.keys(red).length, flaky: 0, skipped: 0 });
  expect(run.packages.size).toBe(Object.keys(red).length + 1);
  for (const [id, [, expected]] of Object.entries(red)) expectRed(run, id, expected);
  const torn = packageOf(run, 'recipes/teardown').trace.filter(({ phase }) => phase === 'teardown');
  expect(torn).toMatchObject([
    { nodeId: 'teardown:0', ok: false },
    { nodeId: 'teardown:1', ok: true },
  ]);
});

test('a visible claim needs an artifact: seen but not shown is unknown', async ({ project }) => {
  const seen = {
    open: { action: 'ui.navigate', url: page },
    see: { action: 'ui.wait_for', test_id: 'total', text: 'Total 21', ...AC1 },
  };
  const elsewhere = { ...seen, keep: { action: 'ui.screenshot' } };
  const shown = { ...seen, keep: { action: 'ui.screenshot', ...AC1 } };
  const documents = { a: recipe(seen, claims), b: recipe(elsewhere, claims), c: recipe(shown, claims) };
  const run = await project(
    Object.fromEntries(Object.entries(documents).map(([id, document]) => [`recipes/${id}.recipe.json`, document])),
  ).run();

  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  const reason = 'AC1 is unproven: it is visible in the UI, but no artifact shows it';
  for (const id of ['a', 'b']) expectRed(run, id, { status: 'unknown', reason });
  const { status, proof } = packageOf(run, 'recipes/c').summary;
  expect({ status, proof }).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven', held: 1 }] });
  expect(proof[0]?.artifacts).toBeGreaterThanOrEqual(1);
});
