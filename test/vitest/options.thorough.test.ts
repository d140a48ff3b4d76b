import { expect, test } from 'vitest';
import { hears, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const config = (options: object): string => `
  import { withRecipes } from 'recipewright/vitest';
  export default withRecipes(
    { test: { reporters: ['default', ['json', { outputFile: 'report.json' }], ['recipewright/vitest/reporter', { outputDir: 'evidence' }]] } },
    ${JSON.stringify({ recipes: 'recipes/*.recipe.json', ...options })},
  );
`;

test('changed options take effect in the next run, although Vitest caches modules', async () => {
  const asking = recipe(
    {
      speak: { action: 'command', argv: ['echo', '{{inputs.word}}'] },
      listen: hears('speak', 'hello'),
      ask: { action: 'manual', instruction: 'Is it fine?' },
    },
    { inputs: { word: { type: 'string' } } },
  );
  const own = recipe({ own: { action: 'lab.say', assert: { path: '$.word', operator: 'eq', value: 'hello' } } });
  const setup = (word: string) => setupFile({ 'lab.say': `const word: string = '${word}'; return { output: { word } };` });
  const project = vitestProject({
    'recipes/asking.recipe.json': asking,
    'recipes/own.recipe.json': own,
    'one.setup.ts': setup('hello'),
    'two.setup.ts': setup('goodbye'),
  });
  const statuses = async (options: object) => {
    project.write({ 'vitest.config.ts': config(options) });
    const { tests } = await project.run();
    return tests.map(({ status }) => status);
  };
  const good = { inputs: { word: 'hello' }, answers: { ask: 'pass' }, setup: './one.setup.ts' };
  expect(await statuses({ ...good, inputs: { word: 'bye' } })).toEqual(['failed', 'passed']);
  expect(await statuses({ ...good, answers: { ask: 'fail' }, setup: './two.setup.ts' })).toEqual(['failed', 'failed']);
  expect(await statuses(good)).toEqual(['passed', 'passed']);
  expect(project.list('evidence').sort()).toContain('suite.json');
  expect(project.list('recipe-results')).toEqual([]);
});

test('the config of the project, its setup module with preconditions and its aliases take effect', async () => {
  const flow = {
    version: 1,
    description: 'Says a word.',
    workflow: {
      entry: 'say',
      nodes: { say: { ...say('kettle'), intent: 'Say the word', next: 'done' }, done: { action: 'end', status: 'pass' } },
    },
    postcondition: { path: '$.stdout', operator: 'contains', value: 'kettle' },
  };
  const gated = (gate: string) => ({
    ...recipe({ call: { action: 'call', ref: 'shop.say' }, own: { action: 'lab.check' } }, { title: gate, uses: ['the-shop'] }),
  });
  const withGate = (gate: string) => {
    const document = gated(gate) as { validate: { workflow: object } };
    return { ...document, validate: { workflow: { pre_conditions: [gate], ...document.validate.workflow } } };
  };
  const preconditions = ['lab.open', 'lab.shut'].map(
    (id) => `definePrecondition({ id: '${id}', description: 'The gate is open', check: (): boolean => ${id === 'lab.open'} })`,
  );
  const setup = setupFile({ 'lab.check': 'return { output: {} };' })
    .replace('import { defineAction,', 'import { defineAction, definePrecondition,')
    .replace('actions: [', `preconditions: [${preconditions.join(', ')}], actions: [`);
  const run = await vitestProject({
    'recipewright.config.ts': "export default { setup: './lab.ts', aliases: { 'the-shop': 'flows/shop.flows.json' } };\n",
    'lab.ts': setup,
    'flows/shop.flows.json': { schema_version: 1, kind: 'recipe-flow-catalog', owner: 'shop', flows: { 'shop.say': flow } },
    'recipes/open.recipe.json': withGate('lab.open'),
    'recipes/shut.recipe.json': withGate('lab.shut'),
    'recipes/unknown.recipe.json': withGate('lab.none'),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  expect(run.packages.get('recipes/open')?.summary.status).toBe('pass');
  expect(run.packages.get('recipes/shut')?.summary).toMatchObject({ status: 'fail', cause_class: 'environment' });
  expect(run.packages.has('recipes/unknown')).toBe(false);
});

test('a config that matches no document, and a config with a misspelled setting, end the run with an error that says what to correct', async () => {
  const project = vitestProject({ 'vitest.config.ts': config({ recipes: 'nowhere/*.recipe.json' }) });
  const none = await project.run();
  expect(none).toMatchObject({ exitCode: 1, passed: 0 });
  expect(none.stderr).toContain(`No document matches ["nowhere/*.recipe.json"] in ${project.dir}.`);
  project.write({
    'recipewright.config.mjs': 'export default { setupp: 1 };\n',
    'nowhere/a.recipe.json': recipe({ speak: say('x') }),
  });
  const odd = await project.run();
  expect(odd.exitCode).toBe(1);
  expect(odd.stderr).toContain('Did you mean "setup"?');
});

test.for([
  [
    { ownProcess: true },
    'Error: recipewright/vitest has no option "ownProcess". Known: recipes, setup, inputs, answers, browser.',
  ],
  [{ input: { word: 'x' } }, 'Error: recipewright/vitest has no option "input". Did you mean "inputs"?'],
] as const)(
  'a config with the unknown option %j does not start a run, and the error names the known options',
  async ([options, message]) => {
    const project = vitestProject({ 'vitest.config.ts': config(options), 'recipes/a.recipe.json': recipe({ speak: say('x') }) });
    const run = await project.run();
    expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 0 });
    expect(run.stderr).toContain(message);
    expect(run.packages.size).toBe(0);
  },
);
