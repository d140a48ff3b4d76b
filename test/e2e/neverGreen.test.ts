// Verdicts: a recipe that proves nothing is red in Playwright, its package says why, and what could have failed is enough.
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, type Files, type Project, type Run, test } from '../support/project.js';
import { end, exit, hears, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';

// The tests share one run.
test.describe.configure({ mode: 'default' });

const pages = await servePages();

const page = pages.url('<h1 data-testid=total>Total 21</h1>');
const AC1 = { proofTarget: 'AC1' };
const claims = { targets: ['AC1'] };
const heard = { speak: say('hello'), listen: hears('speak', 'hello', AC1) };

type Expected = { status: 'fail' | 'unknown'; reason: string; cause_class?: string };

function expectRed(run: Run, id: string, { reason, ...expected }: Expected): void {
  const found = packageOf(run, `recipes/${id}`);
  expect(found.summary, id).toMatchObject({ ...expected, reason: expect.stringContaining(reason) });
  if (expected.cause_class === undefined) expect(found.summary, id).not.toHaveProperty('cause_class');
  const shown = testsIn(run.report).find(({ file }) => file === `recipes/${id}.recipe.json`);
  expect(shown, id).toMatchObject({ ok: false, results: [{ status: 'failed' }] });
}

const documents = (all: Record<string, object>): Files =>
  Object.fromEntries(Object.entries(all).map(([id, document]) => [`recipes/${id}.recipe.json`, document]));

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

const seen = {
  open: { action: 'ui.navigate', url: page },
  see: { action: 'ui.wait_for', test_id: 'total', text: 'Total 21', ...AC1 },
};
const visible = {
  a: recipe(seen, claims),
  b: recipe({ ...seen, keep: { action: 'ui.screenshot' } }, claims),
  c: recipe({ ...seen, keep: { action: 'ui.screenshot', ...AC1 } }, claims),
};

const one = { path: '$.count', operator: 'eq', value: 1 };
const counting = {
  postcondition: one,
  workflow: {
    entry: 'count',
    nodes: { count: { action: 'lab.count', intent: 'Count to one', next: 'over' }, over: end('pass') },
  },
};
const smoke = {
  allowed: recipe({ leave: exit(3, { allow_failure: true, assert: { path: '$.exitCode', operator: 'eq', value: 3 } }) }),
  inline: recipe({ count: { action: 'lab.count', assert: one } }),
  post: recipe({ call: { action: 'call', ref: 'lab.one' } }, { flows: { 'lab.one': counting } }),
};

let shared: Promise<Run> | undefined;

/** Files are looked at here: the test that comes first takes the project along. */
function runAll(project: (files: Files) => Project): Promise<Run> {
  shared ??= (async () => {
    const actions = { 'lab.nothing': 'return {};', 'lab.count': 'return { output: { count: 1 } };' };
    const run = await project({
      'recipes.setup.ts': setupFile(actions).replace('fallible: () => true,', ''),
      ...documents(Object.fromEntries(Object.entries(red).map(([id, [document]]) => [id, document]))),
      ...documents({ ...visible, ...smoke, 'zz-sound': sound() }),
    }).run();
    for (const found of run.packages.values()) expectWhole(found);
    return run;
  })();
  return shared;
}

test('a recipe is never green because it proved nothing', async ({ project }) => {
  const run = await runAll(project);
  const failing = Object.keys(red).length + 2;
  expect(run).toMatchObject({ exitCode: 1, stderr: '', passed: 5, failed: failing, flaky: 0, skipped: 0 });
  expect(run.packages.size).toBe(failing + 5);
  for (const [id, [, expected]] of Object.entries(red)) expectRed(run, id, expected);
  const torn = packageOf(run, 'recipes/teardown').trace.filter(({ phase }) => phase === 'teardown');
  expect(torn).toMatchObject([
    { nodeId: 'teardown:0', ok: false },
    { nodeId: 'teardown:1', ok: true },
  ]);
});

test('a visible claim needs an artifact: seen but not shown is unknown', async ({ project }) => {
  const run = await runAll(project);
  const reason = 'AC1 is unproven: it is visible in the UI, but no artifact shows it';
  for (const id of ['a', 'b']) expectRed(run, id, { status: 'unknown', reason });
  const { status, proof } = packageOf(run, 'recipes/c').summary;
  expect({ status, proof }).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven', held: 1 }] });
  expect(proof[0]?.artifacts).toBeGreaterThanOrEqual(1);
});

test('a recipe without claims passes when an assertion is all that could have failed', async ({ project }) => {
  const run = await runAll(project);
  for (const id of Object.keys(smoke)) {
    expect(packageOf(run, `recipes/${id}`).summary, id).toMatchObject({ status: 'pass', reason: 'the recipe passed' });
    expect(testsIn(run.report).find(({ file }) => file === `recipes/${id}.recipe.json`)).toMatchObject({ ok: true });
  }
});
