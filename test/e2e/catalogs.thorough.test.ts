import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import type { Run } from '../support/project.js';
import { sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const end = { action: 'end', status: 'pass' };
const readOf = (cart: string) => ({
  action: 'command',
  intent: 'Look at what is in the cart',
  effect: 'reads',
  cmd: `cat ${cart}.txt 2>/dev/null || true`,
});
const fillOf = (cart: string) => ({
  action: 'command',
  intent: 'Put the item into the cart',
  argv: ['sh', 'fill.sh', '{{params.item}}', cart],
});
const hasItem = { path: '$.stdout', operator: 'contains', param: 'item' };
const paramsSchema = { type: 'object', required: ['item'], properties: { item: { type: 'string' } } };
const contract = { version: 1, description: 'The cart holds an item.', paramsSchema, postcondition: hasItem };

/** Looks first, and fills the cart only when the item is missing. */
const ensureCart = {
  ...contract,
  workflow: {
    entry: 'look',
    nodes: {
      look: { ...readOf('cart'), next: 'fill' },
      fill: { ...fillOf('cart'), unless: { source: 'look', ...hasItem }, next: 'see' },
      see: { ...readOf('cart'), next: 'done' },
      done: end,
    },
  },
};

const always = (cart: string, rest: object = {}) => ({
  ...contract,
  workflow: {
    entry: 'fill',
    nodes: { fill: { ...fillOf(cart), ...rest, next: 'see' }, see: { ...readOf(cart), next: 'done' }, done: end },
  },
});

function catalog(flows: object): object {
  return { schema_version: 1, kind: 'recipe-flow-catalog', owner: 'shop', flows };
}

const common = {
  'fill.sh': 'echo "$1" >> "$2.txt"; echo filled >> "$2-filled.txt"\n',
  'recipes/a.recipe.json': sound(),
};
const options = { recipes: { recipes: ['recipes/*.recipe.json', 'flows/*.flows.json'] } };
const mug = { description: 'a mug', params: { item: 'mug' } };

const acting = {
  'shop.ensure_anew': { ...always('acting'), examples: [mug] },
  // A node that tolerates failures does not tolerate this error.
  'shop.ensure_quietly': { ...always('acting', { rw: { on_fail: 'continue' } }), examples: [mug] },
  // The same flow with a name that does not start with "ensure" may act at every call.
  'shop.add': { ...always('acting'), examples: [mug] },
};
const broken = { path: '$.stdout', operator: 'contains', value: 'teapot' };
const giving = {
  'shop.schema': { ...always('giving'), outputsSchema: { type: 'object', required: ['price'] }, examples: [mug] },
  'shop.promise': { ...always('giving'), postcondition: broken, examples: [mug] },
  'shop.expect': { ...always('giving'), examples: [{ ...mug, expect: { ...broken, path: '$.outputs.see.stdout' } }] },
};
const { postcondition: _, ...unproven } = ensureCart;
const mixed = {
  'shop.ensure_nothing': { ...unproven, examples: [mug] },
  'shop.ensure_cart': {
    ...ensureCart,
    examples: [mug, { params: { item: 7 } }, 'in words', { params: { item: 'x' }, expected: {} }],
  },
  'shop.unused': ensureCart,
};

const runFailing = shareRun(
  {
    ...common,
    'flows/acting.flows.json': catalog(acting),
    'flows/giving.flows.json': catalog(giving),
    'flows/mixed.flows.json': catalog(mixed),
  },
  options,
);

const endedIn = (run: Run, name: string) =>
  testsIn(run.report)
    .filter(({ file }) => file === `flows/${name}.flows.json`)
    .map(({ ok }) => ok);

test('every example of a catalog is a test at its own line, with its own package', async ({ project }) => {
  const kettle = {
    description: 'a kettle',
    params: { item: 'kettle' },
    expect: { path: '$.outputs.see.stdout', operator: 'contains', value: 'kettle' },
  };
  const document = catalog({ 'shop.ensure_cart': { ...ensureCart, examples: [mug, kettle] } });
  const inner = project({ ...common, 'flows/shop.flows.json': document }, options);
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0, skipped: 0 });
  const lines = JSON.stringify(document, null, 2).split('\n');
  const lineOf = (text: string) => lines.findIndex((line) => line.includes(text));
  expect(testsIn(run.report).map(({ file, line, title }) => `${file}:${line} ${title}`)).toEqual([
    `flows/shop.flows.json:${lineOf('"a mug"')} shop.ensure_cart: a mug`,
    `flows/shop.flows.json:${lineOf('"a kettle"')} shop.ensure_cart: a kettle`,
    'recipes/a.recipe.json:3 A sound recipe',
  ]);
  const found = packageOf(run, 'flows/shop.flows/shop.ensure_cart-2');
  expectWhole(found);
  expect(found.files).toEqual(expect.arrayContaining(['recipe.json', 'source.json', 'workflow.json']));
  expect(readFileSync(join(found.dir, 'source.json'), 'utf8')).toBe(`${lines.join('\n')}\n`);
  // Both calls proved the postcondition and the expectation of the example, and the second call filled nothing.
  const calls = found.trace.filter(({ action }) => action === 'call');
  expect(calls.map(({ nodeId, asserts }) => [nodeId, asserts?.map(({ held }) => held)])).toEqual([
    ['call', [true, true]],
    ['again', [true, true]],
  ]);
  expect(readFileSync(join(inner.dir, 'cart-filled.txt'), 'utf8')).toBe('filled\nfilled\n');
});

test('an ensure flow whose second call would act again fails at that node, which does not run', async ({ project }) => {
  const { inner, run } = await runFailing(project);
  expect(run.exitCode).toBe(1);
  expect(endedIn(run, 'acting')).toEqual([false, false, true]);
  for (const [flow, failed] of [
    ['shop.ensure_anew', 'again/fill'],
    ['shop.ensure_quietly', 'again'],
  ] as const) {
    const found = packageOf(run, `flows/acting.flows/${flow}-1`);
    expectWhole(found);
    expect(found.summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expect(found.trace.find(({ nodeId }) => nodeId === failed)).toMatchObject({ ok: false });
    expect(found.summary.reason).toContain('The second call of the flow would have changed something: again/fill (command).');
  }
  expect(readFileSync(join(inner.dir, 'acting-filled.txt'), 'utf8')).toBe('filled\n'.repeat(3));
});

test('the outputs of a flow are checked against its outputsSchema, its postcondition and its example', async ({ project }) => {
  const { run } = await runFailing(project);
  expect(run.exitCode).toBe(1);
  expect(endedIn(run, 'giving')).toEqual([false, false, false]);
  expect(packageOf(run, 'flows/giving.flows/shop.schema-1').summary.reason).toContain('outputsSchema');
  for (const flow of ['shop.promise', 'shop.expect'])
    expect(packageOf(run, `flows/giving.flows/${flow}-1`).summary.reason).toContain('"teapot"');
});

test('a flow without examples is skipped with the reason, a flow with findings fails with them, and the others run', async ({
  project,
}) => {
  const { run } = await runFailing(project);
  // The other catalogs have one example that passes and five that fail.
  expect(run).toMatchObject({ exitCode: 1, passed: 3, failed: 9, skipped: 1 });
  const others = ['flows/acting.flows.json', 'flows/giving.flows.json'];
  const tests = testsIn(run.report)
    .filter(({ file }) => !others.includes(file))
    .map(({ title, results }) => [title, results[0]?.errors[0]?.message ?? '']);
  expect(tests.map(([title]) => title)).toEqual([
    'shop.ensure_nothing is a valid flow',
    'shop.ensure_cart: a mug',
    'shop.ensure_cart: example 2',
    'shop.ensure_cart: example 3',
    'shop.ensure_cart: example 4',
    'shop.unused',
    'A sound recipe',
  ]);
  const codes = tests.map(([, message = '']) => /[a-z]+\.[a-z_]+(?= {2}\/)/.exec(message)?.[0]);
  expect(codes).toEqual([
    'flow.missing_postcondition',
    undefined,
    'workflow.invalid_call_params',
    'flow.invalid_example',
    'flow.invalid_example',
    undefined,
    undefined,
  ]);
  expect(run.stdout).toContain('/flows/shop.ensure_cart/examples/1/params/item');
  const suite = JSON.parse(readFileSync(join(packageOf(run, 'recipes/a').dir, '../../suite.json'), 'utf8'));
  expect(suite.totals).toMatchObject({ declared: 13, executed: 8, skipped: 1 });
  expect(JSON.stringify(suite)).toContain('The flow has no examples');
});

test('an invalid catalog is one failing test, and an example is selected by any of its lines', async ({ project }) => {
  const kettle = { description: 'a kettle', params: { item: 'kettle' } };
  const documentOf = (name: string) =>
    catalog({
      [`${name}.ensure_cart`]: { examples: [mug, kettle], ...ensureCart },
      [`${name}.add`]: { ...always('cart'), examples: [mug, mug] },
    });
  const inner = project(
    {
      ...common,
      'flows/more.flows.json': documentOf('more'),
      'flows/shop.flows.json': documentOf('shop'),
      'flows/z.flows.json': { kind: 'recipe-flow-catalog', flows: [] },
    },
    options,
  );
  const lines = JSON.stringify(documentOf('shop'), null, 2).split('\n');
  const ofExample = lines.findIndex((line) => line.includes('"item": "kettle"')) + 1;
  const ofFlow = lines.findLastIndex((line) => line.includes('"workflow": {')) + 1;
  const run = await inner.run([`more.flows.json:${ofFlow}`, `shop.flows.json:${ofExample}`, 'z.flows.json']);
  expect(run).toMatchObject({ exitCode: 1, passed: 3, failed: 1 });
  expect(testsIn(run.report).map(({ title, ok }) => [title, ok])).toEqual([
    // A line of the flow outside its examples selects all examples.
    ['more.add: a mug', true],
    ['more.add: a mug (flows/more.flows/more.add-2)', true],
    ['shop.ensure_cart: a kettle', true],
    ['z.flows.json is a valid flow catalog', false],
  ]);
});
