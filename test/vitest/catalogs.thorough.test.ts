import { expect, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { sound } from '../support/recipe.js';
import { vitestProject } from '../support/vitestProject.js';

const end = { action: 'end', status: 'pass' };
const read = {
  action: 'command',
  intent: 'Look at what is in the cart',
  effect: 'reads',
  cmd: 'cat cart.txt 2>/dev/null || true',
};
const fill = { action: 'command', intent: 'Put the item into the cart', argv: ['sh', 'fill.sh', '{{params.item}}'] };
const hasItem = { path: '$.stdout', operator: 'contains', param: 'item' };
const paramsSchema = { type: 'object', required: ['item'], properties: { item: { type: 'string' } } };
const contract = { version: 1, description: 'The cart holds an item.', paramsSchema, postcondition: hasItem };

/** Looks first, and fills the cart only when the item is missing. */
const ensureCart = {
  ...contract,
  workflow: {
    entry: 'look',
    nodes: {
      look: { ...read, next: 'fill' },
      fill: { ...fill, unless: { source: 'look', ...hasItem }, next: 'see' },
      see: { ...read, next: 'done' },
      done: end,
    },
  },
};
const always = {
  ...contract,
  workflow: { entry: 'fill', nodes: { fill: { ...fill, next: 'see' }, see: { ...read, next: 'done' }, done: end } },
};
const mug = { description: 'a mug', params: { item: 'mug' } };
const kettle = { description: 'a kettle', params: { item: 'kettle' } };
const catalog = (flows: unknown) => ({ schema_version: 1, kind: 'recipe-flow-catalog', owner: 'shop', flows });
const common = { 'fill.sh': 'echo "$1" >> cart.txt; echo filled >> filled.txt\n', 'recipes/a.recipe.json': sound() };
const options = { recipes: { recipes: ['recipes/*.recipe.json', 'flows/*.flows.json'] } };

test('every example of a catalog is a test at its own line with its own package, also when other examples are invalid', async () => {
  const { postcondition: _, ...unproven } = ensureCart;
  const document = catalog({
    'shop.ensure_cart': {
      ...ensureCart,
      examples: [mug, { ...kettle, expect: { path: '$.outputs.see.stdout', operator: 'contains', value: 'teapot' } }],
    },
    'shop.ensure_anew': { ...always, examples: [mug] },
    'shop.ensure_nothing': { ...unproven, examples: [mug] },
    'shop.odd': { ...always, examples: [{ params: { item: 7 } }, 'in words'] },
    'shop.unused': ensureCart,
  });
  const project = vitestProject({ ...common, 'flows/shop.flows.json': document, 'flows/z.flows.json': catalog([]) }, options);
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 6, skipped: 1 });
  const name = 'flows/shop.flows.json';
  const reported = run.tests.filter(({ file }) => file === name).map(({ title, status, line }) => [title, status, line]);
  const mugs = project
    .read(name)
    .split('\n')
    .flatMap((text, index) => (text.includes('"a mug"') ? [index] : []));
  expect(reported).toEqual([
    ['shop.ensure_cart: a mug', 'passed', mugs[0]],
    ['shop.ensure_cart: a kettle', 'failed', project.lineOf(name, '"a kettle"') - 1],
    ['shop.ensure_anew: a mug', 'failed', mugs[1]],
    ['shop.ensure_nothing: a mug', 'failed', mugs[2]],
    ['shop.odd: example 1', 'failed', project.lineOf(name, '"item": 7') - 2],
    ['shop.odd: example 2', 'failed', project.lineOf(name, '"in words"')],
    ['shop.unused', 'skipped', project.lineOf(name, '"shop.unused"')],
  ]);
  const messages = run.tests.flatMap((one) => one.messages).join('\n');
  for (const code of ['flow.missing_postcondition', 'workflow.invalid_call_params', 'flow.invalid_example'])
    expect(messages).toContain(code);
  expect(messages).toContain('The second call of the flow would have changed something: again/fill (command).');
  const found = packageOf(run, 'flows/shop.flows/shop.ensure_cart-1');
  expectWhole(found);
  expect(found.files).toEqual(expect.arrayContaining(['recipe.json', 'source.json', 'workflow.json']));
  expect(found.trace.filter(({ action }) => action === 'call').map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
    ['call', true],
    ['again', true],
  ]);
  expect(run.suite?.totals).toMatchObject({ declared: 9, executed: 4, passed: 2, failed: 2, skipped: 1, unknown: 4 });
  expect(JSON.stringify(run.suite)).toContain('The flow has no examples');
});

test('a line selects the example that it is in, or all examples of its flow, and an empty catalog fails', async () => {
  const document = catalog({
    'shop.ensure_cart': { ...ensureCart, examples: [mug, kettle] },
    // Here the examples come first.
    'shop.add': { examples: [mug, mug], ...always },
  });
  const [name, other, third] = ['flows/shop.flows.json', 'flows/other.flows.json', 'flows/third.flows.json'];
  const copies = { [name]: document, [other]: document, [third]: document };
  const project = vitestProject({ ...common, ...copies, 'flows/z.flows.json': catalog({}) }, options);
  const select = async (...lines: string[]) => {
    const { tests } = await project.run(lines);
    return tests.filter(({ status }) => status === 'passed').map(({ file, title }) => `${file} ${title}`);
  };
  const flowLine = project.lineOf(name, '"shop.add"');
  const lastLine = project.read(name).trimEnd().split('\n').length - 2;
  const kettleLine = project.lineOf(name, '"item": "kettle"');
  expect((await select(`${name}:${kettleLine}`, `${other}:${flowLine}`, `${third}:${lastLine}`)).sort()).toEqual([
    `${other} shop.add: a mug`,
    `${other} shop.add: a mug`,
    `${name} shop.ensure_cart: a kettle`,
    `${third} shop.add: a mug`,
    `${third} shop.add: a mug`,
  ]);
  expect(await select(`${name}:${lastLine + 1}`)).toEqual([]);
  const empty = await project.run(['z.flows.json']);
  expect(empty).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
});

test('a failure in an example is shown at its line of the catalog', async () => {
  const broken = { action: 'command', intent: 'Close the shop for the day', argv: ['sh', '-c', 'exit 3'] };
  const document = catalog({
    'shop.close': {
      ...always,
      workflow: { entry: 'close', nodes: { close: { ...broken, next: 'done' }, done: end } },
      examples: [mug],
    },
    'shop.add': {
      ...always,
      examples: [mug, { ...kettle, expect: { path: '$.outputs.see.stdout', operator: 'contains', value: 'teapot' } }],
    },
    'shop.promise': { ...always, postcondition: { path: '$.stdout', operator: 'contains', value: 'a shelf' }, examples: [mug] },
    'shop.odd': { ...always, examples: [{ params: { item: 7 } }] },
  });
  const project = vitestProject({ ...common, 'flows/shop.flows.json': document }, options);
  const run = await project.run(['shop.flows.json']);
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 4 });
  const frames = [...run.stderr.matchAll(/^ ❯ (.*) flows\/shop\.flows\.json:(\d+):(\d+)\n([\s\S]*?)\n\n/gm)];
  const lines = project.read('flows/shop.flows.json').split('\n');
  const places = frames.map(([, name, line, column, frame = '']) => {
    const text = lines[Number(line) - 1] ?? '';
    // The frame shows the text of the catalog around the line.
    expect(frame).toContain(`${line}| ${text}`);
    return [name, `${text.slice(Number(column) - 1)} ${lines[Number(line)]?.trim()}`];
  });
  expect(places).toEqual([
    ['call/close · command', '"close": { "action": "command",'],
    ['call · call', '{ "description": "a kettle",'],
    ['call · call', '{ "description": "a mug",'],
    ['recipe', '"item": 7 }'],
  ]);
});

test('with isolate: false, a failing example of two equal catalogs is shown in its own file', async () => {
  const document = catalog({ 'shop.ensure_anew': { ...always, examples: [mug] } });
  const files = { ...common, 'flows/a.flows.json': document, 'flows/b.flows.json': document };
  const run = await vitestProject(files, { ...options, test: { isolate: false } }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  for (const file of ['flows/a.flows.json', 'flows/b.flows.json']) expect(run.stderr).toMatch(new RegExp(`❯ .* ${file}:`));
});
