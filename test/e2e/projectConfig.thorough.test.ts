import { packageOf } from '../support/packages.js';
import { eventMs } from '../support/patience.js';
import { expect, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';

const limits = { visitsPerNode: 2 };
const config = (settings: object, type = '') => `
  ${type}
  // A config may use await, and may be TypeScript.
  const waited${type ? ': object' : ''} = await Promise.resolve(${JSON.stringify(settings)});
  export default waited;
`;

/** The config has a short timeout for nodes without their own timeout. */
const patient = { timeout_ms: eventMs };

const greeting = recipe(
  {
    speak: { action: 'command', argv: ['node', '-p', 'process.argv[1]', '{{inputs.name}}'], ...patient },
    hear: hears('speak', '{{inputs.name}}'),
  },
  { title: 'Greeting', inputs: { name: { type: 'string', default: 'nobody' } } },
);
const nameIn = (run: Parameters<typeof packageOf>[0]) => packageOf(run, 'recipes/greeting').summary.inputs;

for (const type of ['module', 'commonjs'] as const) {
  test(`the settings of recipewright.config apply in a package of type ${type}`, async ({ project }) => {
    const flow = {
      version: 1,
      description: 'Speaks.',
      entry: 'speak',
      nodes: {
        speak: { ...say('hello', patient), intent: 'Say hello to all', next: 'done' },
        done: { action: 'end', status: 'pass' },
      },
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
      speak: say('round', patient),
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
          env: { action: 'command', cmd: 'echo "$LAB_WORD"', ...patient },
          hear: hears('env', 'abracadabra'),
        }),
        'recipes/alias.recipe.json': { ...recipe({ call: { action: 'call', ref: 'shop.speak' } }), uses: ['shop'] },
        'recipes/blocked.recipe.json': recipe({ speak: say('hi', patient), hear: hears('speak', 'hi') }, blocked),
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

test('an input comes from the environment, or else from use, the options or the config, and a recipe without the input reports it', async ({
  project,
}) => {
  const names = ['a', 'b', 'c', 'd'];
  const all = (value: string, from: string[]) => Object.fromEntries(from.map((name) => [name, value]));
  const four = recipe(
    { speak: { action: 'command', argv: ['echo', ...names.map((name) => `{{inputs.${name}}}`)] } },
    { inputs: Object.fromEntries(names.map((name) => [name, { type: 'string', default: 'nobody' }])) },
  );
  const lacking = recipe({ speak: say('hello', { env: { WHO: '{{inputs.who}}' } }) }, { inputs: { who: { type: 'string' } } });
  const run = await project(
    {
      'recipewright.config.mjs': config({ inputs: all('config', ['a', 'b', 'c', 'd']) }),
      'recipes/lacking.recipe.json': lacking,
      'recipes/greeting.recipe.json': four,
    },
    { recipes: { inputs: all('options', ['b', 'c', 'd']), use: { recipeOptions: { inputs: all('use', ['c', 'd']) } } } },
  ).run([], { env: { RECIPE_INPUT_D: 'env' } });
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expect(nameIn(run)).toEqual({
    a: { value: 'config', origin: 'config' },
    b: { value: 'options', origin: 'config' },
    c: { value: 'use', origin: 'config' },
    d: { value: 'env', origin: 'env' },
  });
  expect(packageOf(run, 'recipes/greeting').trace[0]?.output).toMatchObject({ stdout: 'config options use env\n' });
  expect(run.stdout).toContain('The input "who" has no value.');
  expect(run.stdout).toContain('RECIPE_INPUT_WHO');
});

test('an invalid recipewright.config stops the run, and the error describes the problem', async ({ project }) => {
  const inner = project({ 'recipewright.config.mjs': 'export default { pasEnv: [] };', 'recipes/a.recipe.json': sound() });
  const misspelt = await inner.run();
  expect(misspelt.exitCode).toBe(1);
  expect(misspelt.stdout + misspelt.stderr).toContain('there is no option "pasEnv". Did you mean "passEnv"?');
  inner.write({ 'recipewright.config.mjs': "throw new Error('not today');" });
  const broken = await inner.run();
  expect(broken.exitCode).toBe(1);
  expect(broken.stdout + broken.stderr).toContain('not today');
  expect(broken.packages.size).toBe(0);
});
