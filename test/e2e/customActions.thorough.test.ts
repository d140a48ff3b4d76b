import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { body, end, recipe, say } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const setup = setupFile(
  {
    'lab.expect': "expect('Total 20').toBe('Total 21'); return {};",
    'lab.nothing': '',
    'lab.bug': 'undefined.toString();',
    'lab.count': 'counter.count += 1; return { output: counter };',
    'lab.sleep': 'await new Promise((done) => setTimeout(done, fields.for_ms)); return { output: { slept: true } };',
  },
  "import { expect } from '@playwright/test';\nconst counter = { count: 0 };",
);

// Other faults of an action itself are in test/unit/run/faultyActions.test.ts.
const names = ['expect', 'nothing', 'bug'];
const acting = (name: string) =>
  recipe({ before: say('alive'), act: { action: `lab.${name}` }, after: say('never') }, { title: name, teardown: [say('bye')] });
const counting = recipe(
  {
    one: { action: 'lab.count' },
    two: { action: 'lab.count' },
    look: { action: 'assert_output', source: 'one', assert: { path: '$.count', operator: 'eq', value: 1 } },
  },
  { title: 'counting' },
);

const sleeper = { action: 'lab.sleep', for_ms: 1_500 };
const resting = { sleep: { ...sleeper, intent: 'Sleep for long', next: 'woken' }, woken: end('pass') };
const flows = { 'lab.rest': { workflow: { entry: 'sleep', nodes: resting } } };
const limits = { timeout_ms: 300, rw: { on_fail: 'continue' } };

const runAll = shareRun({
  'recipes.setup.ts': setup,
  ...Object.fromEntries(names.map((name) => [`recipes/${name}.recipe.json`, acting(name)])),
  'recipes/counting.recipe.json': counting,
  'recipes/call.recipe.json': recipe({ rest: { action: 'call', ref: 'lab.rest', timeout_ms: 300 } }, { title: 'call', flows }),
  'recipes/group.recipe.json': recipe(
    {
      rest: { action: 'rw.group', order: 'together', ...limits, body: body({ sleep: sleeper }) },
      // Ends after the sleeping node would have ended.
      longer: { action: 'lab.sleep', for_ms: 2_000 },
    },
    { title: 'group' },
  ),
});

test('a failed expect in a custom action blames the app under test, and any other error blames the action', async ({
  project,
}) => {
  const { run: ran } = await runAll(project);
  expect(ran.exitCode).toBe(1);
  for (const name of names) {
    const found = packageOf(ran, `recipes/${name}`);
    expectWhole(found);
    expect(found.trace.at(-1), name).toMatchObject({ nodeId: 'teardown:0', ok: true });
    expect(found.summary, name).not.toHaveProperty('interruptedAt');
    expect(found.summary.reason, name).not.toContain(String.fromCharCode(27));
  }
  const summary = (name: string) => packageOf(ran, `recipes/${name}`).summary;
  expect
    .soft(summary('expect'), 'a failed expect is an assertion about the product')
    .toMatchObject({ status: 'fail', cause_class: 'subject' });
  expect.soft(summary('bug'), 'bug').toMatchObject({ status: 'unknown', cause_class: 'harness' });
  expect.soft(summary('nothing'), 'an action need not give anything back').toMatchObject({ status: 'pass' });
});

test('assertions and the trace use the output of a node from the end of the node', async ({ project }) => {
  const { run: ran } = await runAll(project);
  const found = packageOf(ran, 'recipes/counting');
  expect(found.trace.slice(0, 2).map(({ output }) => output)).toEqual([{ count: 1 }, { count: 2 }]);
  expect(found.trace[2]?.asserts).toMatchObject([{ source: 'one', actual: 1, held: true }]);
  expect(ran.stderr).toBe('');
  expect(testsIn(ran.report).find(({ title }) => title === 'counting')?.ok).toBe(true);
});

test('a node that exceeds its timeout ends the nodes inside it', async ({ project }) => {
  const { run: ran } = await runAll(project);
  const ended = testsIn(ran.report).map(({ title, ok }) => [title, ok]);
  expect(Object.fromEntries(ended)).toMatchObject({ call: false, group: true });
  for (const id of ['recipes/call', 'recipes/group']) {
    const found = packageOf(ran, id);
    expectWhole(found);
    expect(found.summary, id).not.toHaveProperty('interruptedAt');
    const [child, parent] = found.lines.filter(({ t }) => t === 'end');
    expect(child, id).toMatchObject({ path: 'rest/sleep', ok: false });
    const message = expect.stringMatching(/^The node did not finish within 300 ms\./);
    expect(parent, id).toMatchObject({ path: 'rest', ok: false, error: { message, cause_class: 'subject' } });
  }
});
