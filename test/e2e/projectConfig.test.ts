import { packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';

const limits = { visitsPerNode: 2 };
const config = (settings: object, type = '') => `
  ${type}
  // A config may wait for something, and may be TypeScript.
  const waited${type ? ': object' : ''} = await Promise.resolve(${JSON.stringify(settings)});
  export default waited;
`;

const greeting = recipe(
  {
    speak: { action: 'command', argv: ['node', '-p', 'process.argv[1]', '{{inputs.name}}'] },
    hear: hears('speak', '{{inputs.name}}'),
  },
  { title: 'Greeting', inputs: { name: { type: 'string', default: 'nobody' } } },
);
const nameIn = (run: Parameters<typeof packageOf>[0]) => packageOf(run, 'recipes/greeting').summary.inputs;

for (const type of ['module', 'commonjs'] as const) {
  test(`the settings of the project's config are in force in a package of type ${type}`, async ({ project }) => {
    const flow = {
      version: 1,
      description: 'Speaks.',
      entry: 'speak',
      nodes: { speak: { ...say('hello'), intent: 'Say hello to all', next: 'done' }, done: { action: 'end', status: 'pass' } },
    };
    const settings = {
      inputs: { name: 'config' },
      answers: { ask: 'pass' },
      passEnv: ['LAB_WORD'],
      aliases: { shop: 'flows/shop.flows.json' },
      allowBlocked: true,
      nodeTimeoutMs: 1_000,
      setup: './lab.ts',
      limits,
    };
    const lab = `
      import { defineAction, defineSetup } from 'recipewright';
      import { z } from 'zod';
      export default defineSetup({ actions: [defineAction({ name: 'lab.hang', description: 'x', schema: z.strictObject({}), examples: [], effect: 'reads', run: () => new Promise(() => undefined) })] });`;
    const blocked = { proofTargets: [{ id: 'AC1', claim: 'It is blocked.', blocked: 'for now' }] };
    const again = { source: 'speak', path: '$.exitCode', operator: 'eq', value: 0 };
    const loop = recipe({
      speak: say('round'),
      back: { action: 'switch', cases: [{ when: again, next: 'speak' }], default: 'done', intent: 'Go round once more' },
      done: { action: 'end', status: 'pass' },
    });
    const run = await project(
      {
        'recipewright.config.ts': config(settings),
        'lab.ts': lab,
        'flows/shop.flows.json': { schema_version: 1, kind: 'recipe-flow-catalog', flows: { 'shop.speak': flow } },
        'recipes/greeting.recipe.json': greeting,
        'recipes/asks.recipe.json': recipe({ ask: { action: 'manual', instruction: 'Is the lamp on?' } }),
        'recipes/env.recipe.json': recipe({
          env: { action: 'command', cmd: 'echo "$LAB_WORD"' },
          hear: hears('env', 'abracadabra'),
        }),
        'recipes/alias.recipe.json': { ...recipe({ call: { action: 'call', ref: 'shop.speak' } }), uses: ['shop'] },
        'recipes/blocked.recipe.json': recipe({ speak: say('hi'), hear: hears('speak', 'hi') }, blocked),
        'recipes/hangs.recipe.json': recipe({ hang: { action: 'lab.hang' } }),
        'recipes/loops.recipe.json': loop,
      },
      { type },
    ).run([], { env: { LAB_WORD: 'abracadabra' } });
    expect(run).toMatchObject({ exitCode: 1, passed: 5, failed: 2 });
    expect(nameIn(run)).toEqual({ name: { value: 'config', origin: 'config' } });
    expect(packageOf(run, 'recipes/hangs').summary.reason).toContain('1000 ms');
    expect(packageOf(run, 'recipes/loops').summary.reason).toContain('speak');
    expect(packageOf(run, 'recipes/blocked').summary.proof).toMatchObject([{ status: 'blocked' }]);
  });
}

test('an input comes from the environment, else from use, else from the options, else from the config', async ({ project }) => {
  const files = { 'recipewright.config.mjs': config({ inputs: { name: 'config' } }), 'recipes/greeting.recipe.json': greeting };
  const values = { inputs: { name: 'options' } };
  const inner = project(files, { recipes: values });
  expect(nameIn(await inner.run())).toEqual({ name: { value: 'options', origin: 'config' } });
  expect(nameIn(await inner.run([], { env: { RECIPE_INPUT_NAME: 'env' } }))).toEqual({ name: { value: 'env', origin: 'env' } });
  const used = project(files, { recipes: { ...values, use: { recipeOptions: { inputs: { name: 'use' } } } } });
  expect(nameIn(await used.run())).toEqual({ name: { value: 'use', origin: 'config' } });
});

test('a config that cannot be used stops the run, and says what is wrong with it', async ({ project }) => {
  const inner = project({ 'recipewright.config.mjs': 'export default { pasEnv: [] };', 'recipes/a.recipe.json': sound() });
  const misspelt = await inner.run();
  expect(misspelt.exitCode).toBe(1);
  expect(misspelt.stdout + misspelt.stderr).toContain('it has no setting "pasEnv". Did you mean "passEnv"?');
  inner.write({ 'recipewright.config.mjs': "throw new Error('not today');" });
  const broken = await inner.run();
  expect(broken.exitCode).toBe(1);
  expect(broken.stdout + broken.stderr).toContain('not today');
  expect(broken.packages.size).toBe(0);
});

test('a recipe that lacks an input says how to give it, and the others run', async ({ project }) => {
  const lacking = recipe({ speak: say('hello', { env: { WHO: '{{inputs.who}}' } }) }, { inputs: { who: { type: 'string' } } });
  const run = await project({ 'recipes/a.recipe.json': lacking, 'recipes/b.recipe.json': sound() }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expect(run.stdout).toContain('The input "who" has no value.');
  expect(run.stdout).toContain('RECIPE_INPUT_WHO');
});
