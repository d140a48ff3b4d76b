import { join } from 'node:path';
import { expectWhole } from '../support/evidence.js';
import { findStep, readHtmlReport } from '../support/htmlReport.js';
import { packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { body, recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

// Both nodes must run at the same time, and they end in reverse order: the first waits for the last action of the second.
const setup = setupFile(
  {
    'lab.first':
      "meet('first'); await waitFor('second'); await waitFor('second-done'); return { output: { text: 'f'.repeat(8_000) } };",
    'lab.second':
      "meet('second'); await waitFor('first'); setImmediate(() => meet('second-done')); return { output: { text: 's'.repeat(8_000) } };",
    'lab.square': 'return { output: { square: fields.number ** 2 } };',
  },
  `
    import { EventEmitter, once } from 'node:events';
    const events = new EventEmitter();
    const met = new Set();
    const meet = (name) => { met.add(name); events.emit(name); };
    const waitFor = async (name) => { if (!met.has(name)) await once(events, name); };
  `,
);

test('parallel children nest under their parent, and the journal stays ordered and chained', async ({ project }) => {
  const document = recipe({
    both: {
      action: 'rw.group',
      order: 'together',
      intent: 'Do both at once',
      body: body({
        first: { action: 'lab.first', intent: 'Do the first' },
        second: { action: 'lab.second', intent: 'Do the second' },
      }),
    },
    squares: {
      action: 'rw.each',
      items: [1, 2, 3],
      limit: 2,
      intent: 'Square them',
      body: body({ square: { action: 'lab.square', rw: { in: { number: { source: 'item' } } } } }),
    },
  });
  const files = { 'recipes.setup.ts': setup, 'recipes/together.recipe.json': document };
  const inner = project(files, { config: { reporter: [['html'], ['recipewright/playwright/reporter']] } });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });

  const found = packageOf(run, 'recipes/together');
  expectWhole(found);
  expect(found.summary.status).toBe('pass');
  const order = found.lines.map(({ t, path }) => `${t} ${path}`);
  expect(order.slice(0, 7)).toEqual([
    'run ',
    'begin both',
    'begin both/first',
    'begin both/second',
    'end both/second',
    'end both/first',
    'end both',
  ]);
  expect(found.trace.find(({ nodeId }) => nodeId === 'both')?.output).toMatchObject({
    status: 'pass',
    outputs: { first: { text: 'f'.repeat(8_000) }, second: { text: 's'.repeat(8_000) } },
  });
  expect(found.trace.find(({ nodeId }) => nodeId === 'squares')?.output).toEqual({
    status: 'pass',
    items: [1, 4, 9].map((square) => ({ square })),
  });

  const [file] = readHtmlReport(join(inner.dir, 'playwright-report/index.html'));
  const steps = file?.tests[0]?.results[0]?.steps ?? [];
  const nodes = (parent: string) =>
    findStep(steps, parent)
      .steps.filter(({ subtitle }) => subtitle !== undefined)
      .map(({ subtitle }) => subtitle);
  expect(nodes('Run the recipe')).toEqual(['both · rw.group', 'squares · rw.each', 'done · end']);
  expect(nodes('Do both at once')).toEqual(['both/first · lab.first', 'both/second · lab.second']);
  expect(nodes('Square them')).toEqual([0, 1, 2].map((item) => `squares/square[${item}] · lab.square`));
  expect(nodes('Do the first')).toEqual([]);
});
