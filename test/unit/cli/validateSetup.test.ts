// validate checks recipes against the declarations of their own project, without a manifest.
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/command.js';
import { recipeOf } from '../../support/plain.js';
import { shopSetup, setupProject as startedProject } from '../../support/setupProject.js';

const setupProject = (files: Record<string, unknown>) => inProcess(startedProject(files));

const paying = (amount: number) =>
  recipeOf(
    {
      first: {
        ...{ action: 'shop.pay', amount, next: 'done' },
        assert: {
          all: [
            { operator: 'shop.is_price', path: '$.paid' },
            { operator: 'eq', source: 'state:shop.cart', path: '$.items', value: 1 },
          ],
        },
      },
    },
    { workflow: { pre_conditions: ['shop.open'] } },
  );
const setup = ['--setup', 'setup.ts'];

type Listed = { files: { file: string; findings: { code: string }[] }[] };
const codesIn = (stdout: string): string[][] =>
  (JSON.parse(stdout) as Listed).files.map(({ findings }) => findings.map(({ code }) => code));

describe('recipewright validate', () => {
  test('validate knows the actions, preconditions, operators and state refs of the setup module', async () => {
    const { run, started } = setupProject({ 'setup.ts': shopSetup, 'a.recipe.json': paying(2), 'b.recipe.json': paying(0) });
    const files = ['a.recipe.json', 'b.recipe.json'];
    const { exitCode, stdout, stderr } = await started('validate', ...files, ...setup, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(codesIn(stdout)).toEqual([[], ['action.invalid_field']]);
    const alone = await run('validate', 'a.recipe.json', '--json');
    expect(codesIn(alone.stdout)[0]).toEqual(
      expect.arrayContaining(['recipe.action_not_declared_by_manifest', 'recipe.precondition_not_declared_by_manifest']),
    );
    expect(await started('compile', 'a.recipe.json', ...setup)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await run('compile', 'a.recipe.json')).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test('validate reads the config of the project of each file', async () => {
    const { run } = setupProject({
      'one/recipewright.config.ts': "export default { setup: '../setup.ts' };",
      'one/a.recipe.json': paying(2),
      'two/package.json': {},
      'two/a.recipe.json': paying(2),
      'setup.ts': shopSetup,
    });
    const { stdout } = await run('validate', 'one', 'two', '--json');
    expect(codesIn(stdout).map((codes) => codes.length > 0)).toEqual([false, true]);
  });

  test('validate takes aliases and limits from the config', async () => {
    const flow = {
      version: 1,
      description: 'Says hello.',
      workflow: { entry: 'done', nodes: { done: { action: 'end', status: 'pass' } } },
    };
    const caller = recipeOf({ first: { action: 'call', ref: 'shop.hello', next: 'done' } }, { uses: ['hello'] });
    const files = {
      'a.recipe.json': caller,
      'flows/shop.flows.json': { schema_version: 1, kind: 'recipe-flow-catalog', flows: { 'shop.hello': flow } },
    };
    const status = async (config: string) => {
      const { exitCode, stdout } = await setupProject({ ...files, 'recipewright.config.mjs': `export default ${config};` }).run(
        ...['validate', 'a.recipe.json', '--json'],
      );
      return [exitCode, ...(codesIn(stdout)[0] ?? [])];
    };
    expect(await status("{ aliases: { hello: 'flows/shop.flows.json' } }")).toEqual([0, 'recipe.proves_nothing']);
    expect(await status('{}')).toContain('recipe.unreadable_catalog');
    expect(await status("{ aliases: { hello: 'flows/shop.flows.json' }, limits: { nodes: 1 } }")).toContain(
      'recipe.too_many_nodes',
    );
  });

  test('validate does not load the setup module when it gets an action manifest', async () => {
    const manifest = { runner_protocol_version: 1, action_registry_version: 1, supported_official_actions: ['command', 'end'] };
    const { run } = setupProject({
      'recipewright.config.mjs': "export default { setup: './torn.ts' };",
      'torn.ts': 'export default {',
      'a.recipe.json': recipeOf({ first: { action: 'command', cmd: 'true', next: 'done' } }),
      'b.recipe.json': paying(2),
      'm.json': manifest,
    });
    expect(await run('validate', 'a.recipe.json', '--action-manifest', 'm.json')).toMatchObject({ exitCode: 0, stderr: '' });
    const withManifest = await run('validate', 'b.recipe.json', '--action-manifest', 'm.json', '--json');
    expect(codesIn(withManifest.stdout)[0]).toContain('recipe.action_not_declared_by_manifest');
    expect(await run('validate', 'a.recipe.json')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('validate accepts the inputs that every runner provides, and no others', async () => {
    const { run } = setupProject({
      'a.recipe.json': recipeOf({ first: { action: 'command', argv: ['echo', '{{inputs.port}}', '{{slot_id}}'], next: 'done' } }),
      'b.recipe.json': recipeOf({ first: { action: 'command', argv: ['echo', '{{inputs.prot}}'], next: 'done' } }),
    });
    const { stdout } = await run('validate', 'a.recipe.json', 'b.recipe.json', '--json');
    expect(codesIn(stdout)).toEqual([[], ['template.unresolved_reference']]);
  });

  test.for([
    ['a torn setup module', { 'setup.ts': 'export default {' }, setup, /setup\.ts could not be loaded/],
    ['a misspelt config', { 'recipewright.config.mjs': 'export default { alias: {} };' }, [], /no option "alias".*"aliases"/],
    ['a config without an export', { 'recipewright.config.mjs': '' }, [], /recipewright\.config\.mjs is invalid/],
    ['a setup without a name', {}, ['--setup', ''], /--setup needs one module/],
  ] as const)('validate refuses %s with exit code 2', async ([, files, args, message]) => {
    const { run } = setupProject({ 'a.recipe.json': paying(2), ...files });
    for (const command of ['validate', 'compile']) {
      const { exitCode, stdout, stderr } = await run(command, 'a.recipe.json', ...args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(message);
    }
  });

  test('validate refuses --setup together with --artifact-dir', async () => {
    const { exitCode, stdout, stderr } = await setupProject({}).run('validate', '--artifact-dir', '.', ...setup);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('--setup, --action-manifest, --library and --project-root apply to recipes');
  });
});

const refusing = `
  import { defineAction, defineSetup, RecipeError, z } from 'recipewright';
  const refuse = defineAction({
    name: 'shop.refuse',
    description: 'Refuses.',
    schema: z.strictObject({ kind: z.enum(['action', 'environment', 'harness']) }),
    examples: [],
    effect: 'reads',
    fallible: () => true,
    run({ kind }) {
      throw new RecipeError('shop.closed', kind, 'The shop is closed.');
    },
  });
  export default defineSetup({ actions: [refuse] });
`;

describe('recipewright run', () => {
  test('run takes the failure kind that a project action reports', async () => {
    const files = { 'setup.ts': refusing };
    const codes = { action: 1, environment: 3, harness: 4 };
    for (const [kind, exitCode] of Object.entries(codes)) {
      const recipe = recipeOf({ first: { action: 'shop.refuse', kind, next: 'done' } });
      const { run } = setupProject({ ...files, 'a.recipe.json': recipe });
      const ran = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', ...setup);
      expect([kind, ran.exitCode]).toEqual([kind, exitCode]);
      expect(ran.stderr + ran.stdout).toContain('The shop is closed.');
    }
  });
});
