import { expectManifest, expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { recipe, sound } from '../support/recipe.js';

const setup = `
  import { defineAction, defineSetup } from 'recipewright';
  import { test as base } from 'recipewright/playwright';
  import { z } from 'zod';

  type Shop = { stock: Map<string, number>; closed: boolean };

  export const test = base.extend<{ shop: Shop; faulty: string; database: string }>({
    shop: async ({}, use) => {
      const shop: Shop = { stock: new Map([['mug', 3]]), closed: false };
      await use(shop);
      shop.closed = true;
    },
    faulty: async ({}, use) => {
      await use('works for now');
      throw new Error('The fixture broke while it was torn down.');
    },
    database: async ({}) => {
      throw new Error('There is no database.');
    },
  });

  export default defineSetup({
    actions: [
      defineAction({
        name: 'shop.sell',
        description: 'Sells a product.',
        schema: z.strictObject({ product: z.string(), count: z.int().default(1) }),
        examples: [],
        effect: 'user',
        fallible: () => true,
        needs: ['shop'],
        run({ product, count }, { fixtures }) {
          const { stock, closed } = fixtures.shop as Shop;
          stock.set(product, (stock.get(product) ?? 0) - count);
          return { output: { left: stock.get(product), closed } };
        },
      }),
      defineAction({
        name: 'shop.touch',
        description: 'Uses the faulty fixture.',
        schema: z.strictObject({}),
        examples: [],
        effect: 'reads',
        fallible: () => true,
        needs: ['faulty'],
        run: (_, { fixtures }) => ({ output: { said: fixtures.faulty } }),
      }),
      defineAction({
        name: 'shop.store',
        description: 'Uses the database, which there is not.',
        schema: z.strictObject({}),
        examples: [],
        effect: 'reads',
        fallible: () => true,
        needs: ['database'],
        run: () => ({ output: {} }),
      }),
    ],
  });
`;

const sale = recipe(
  {
    sell: { action: 'shop.sell', product: 'mug' },
    'sell-more': {
      action: 'shop.sell',
      product: 'mug',
      count: 2,
      proofTarget: 'AC1',
      assert: { path: '$.left', operator: 'eq', value: 0 },
    },
  },
  { title: 'Sale', targets: ['AC1'], teardown: [{ action: 'shop.sell', product: 'mug' }] },
);

for (const type of ['module', 'commonjs'] as const) {
  test(`actions and fixtures of a setup module work in a package of type ${type}`, async ({ project }) => {
    const run = await project(
      { 'recipes.setup.ts': setup, 'recipes/sale.recipe.json': sale, 'recipes/sound.recipe.json': sound() },
      { type },
    ).run();
    expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 2, failed: 0 });
    const found = packageOf(run, 'recipes/sale');
    expectWhole(found);
    expect(found.summary).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven' }] });
    // The teardown of the recipe can still use the fixture and its state.
    expect(found.trace.filter(({ action }) => action === 'shop.sell').map(({ output }) => output)).toEqual([
      { left: 2, closed: false },
      { left: 0, closed: false },
      { left: -1, closed: false },
    ]);
  });
}

for (const type of ['module', 'commonjs'] as const) {
  test(`a setup module that cannot be loaded in a package of type ${type} runs nothing, and the error names its line`, async ({
    project,
  }) => {
    const broken = "const why: string = 'The shop is closed';\nthrow new Error(why);\n";
    const files = { 'recipes.setup.ts': broken, 'recipes/a.recipe.json': sound(), 'recipes/b.recipe.json': sound() };
    const run = await project(files, { type }).run();
    expect(run).toMatchObject({ exitCode: 1, passed: 0 });
    expect(run.stdout).toContain('The shop is closed');
    expect(run.stdout).toMatch(/recipes\.setup\.ts:2/);
    expect([...run.packages.values()].map(({ summary }) => summary.status)).not.toContain('pass');
  });
}

test('a recipe does not pass when the teardown of a fixture throws, and is an environment failure when the setup of a fixture throws', async ({
  project,
}) => {
  const touching = recipe(
    { touch: { action: 'shop.touch', proofTarget: 'AC1', assert: { path: '$.said', operator: 'exists' } } },
    { targets: ['AC1'] },
  );
  const run = await project({
    'recipes.setup.ts': setup,
    'recipes/a-touching.recipe.json': touching,
    'recipes/b.recipe.json': sound(),
    'recipes/c-storing.recipe.json': recipe({ store: { action: 'shop.store' } }),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  const found = packageOf(run, 'recipes/a-touching');
  expectWhole(found);
  expect(found.summary).toMatchObject({
    status: 'unknown',
    cause_class: 'harness',
    failed: 0,
    proof: [{ id: 'AC1', status: 'proven' }],
  });
  expect(found.summary.reason).toContain('The fixture broke while it was torn down.');
  expect(found.manifest.runStatus).toBe('unknown');
  expect(packageOf(run, 'recipes/b').summary.status).toBe('pass');

  const never = packageOf(run, 'recipes/c-storing');
  expectManifest(never);
  expect(never.summary).toMatchObject({ status: 'unknown', cause_class: 'environment', total: 0 });
  expect(never.summary.reason).toContain('There is no database.');
});
