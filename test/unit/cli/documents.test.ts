// The commands that print documents: schema, compile, manifest.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fromManifest } from '../../../src/registry/manifest/fromManifest.js';
import { documentSchema, schemaTitles } from '../../../src/registry/schemas.js';
import { cliProject as startedProject } from '../../support/cli.js';
import { inProcess } from '../../support/command.js';
import { recipeOf } from '../../support/plain.js';

const cliProject = (files: Record<string, unknown>) => inProcess(startedProject(files));
const flow = {
  version: 1,
  description: 'Says hello.',
  workflow: { entry: 'done', nodes: { done: { action: 'end', status: 'pass' } } },
};
const catalog = { schema_version: 1, kind: 'recipe-flow-catalog', flows: { 'shop.hello': flow } };
const caller = recipeOf({ first: { action: 'call', ref: 'shop.hello', next: 'done' } }, { uses: ['shop.flows.json'] });

describe('recipewright schema', () => {
  test('schema prints one schema and nothing else', async () => {
    const { exitCode, stdout, stderr } = await cliProject({}).started('schema', 'summary-v1');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(documentSchema('summary-v1'));
  });

  test('schema without a name lists all schemas, one per line', async () => {
    const { stdout } = await cliProject({}).run('schema');
    expect(stdout.trimEnd().split('\n')).toHaveLength(schemaTitles.size);
    expect(stdout).toMatch(/^recipe-v1 +A recipe/);
    const listed = await cliProject({}).run('schema', '--json');
    expect(JSON.parse(listed.stdout).schemas).toContainEqual({ name: 'trace-v1', title: schemaTitles.get('trace-v1') });
  });

  test.for([
    [['recipe'], 'There is no schema "recipe". Did you mean "recipe-v1"?'],
    [['__proto__'], 'There is no schema "__proto__".'],
    [['trace-v1', 'summary-v1'], 'schema takes one name, but it got 2'],
  ] as const)('schema refuses %j', async ([names, message]) => {
    const { exitCode, stdout, stderr } = await cliProject({})[names.length > 1 ? 'started' : 'run']('schema', ...names);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('recipewright compile', () => {
  test('compile inlines the flows of a recipe, and its output compiles to itself', async () => {
    const { dir, run, started } = cliProject({ 'a.recipe.json': caller, 'shop.flows.json': catalog });
    const { exitCode, stdout } = await started('compile', 'a.recipe.json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ flows: { 'shop.hello': flow }, validate: caller.validate });
    const withOut = await run('compile', 'a.recipe.json', '--out', 'b.recipe.json');
    expect(withOut).toMatchObject({ exitCode: 0, stdout: '' });
    expect(readFileSync(join(dir, 'b.recipe.json'), 'utf8')).toBe(stdout);
    expect((await run('compile', 'b.recipe.json')).stdout).toBe(stdout);
  });

  test('compile reports the errors of a recipe to stderr and prints nothing to stdout', async () => {
    const { run, started } = cliProject({ 'a.recipe.json': caller });
    const { exitCode, stdout, stderr } = await started('compile', 'a.recipe.json');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^recipe\.unreadable_catalog {2}a\.recipe\.json:\d+:\d+ {2}\/uses\/0\n/);
    const printed = await run('compile', 'a.recipe.json', '--json');
    expect(JSON.parse(printed.stdout).files).toMatchObject([{ file: 'a.recipe.json', status: 'invalid' }]);
  });

  test.for([[[]], [['a.recipe.json', 'b.recipe.json']]] as const)('compile needs one file, not %j', async ([names]) => {
    const { exitCode, stdout, stderr } = await cliProject({}).run('compile', ...names);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`compile needs one file, but it got ${names.length}.`);
  });
});

describe('recipewright manifest', () => {
  test('manifest omits browser actions when the project has no Playwright', async () => {
    const { exitCode, stdout, stderr } = await cliProject({}).run('manifest', '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const manifest = JSON.parse(stdout);
    expect(fromManifest(manifest).findings).toEqual([]);
    expect(manifest.supported_official_actions).toEqual(expect.arrayContaining(['command', 'call', 'switch', 'end']));
    expect(manifest.supported_official_actions.filter((name: string) => /^(ui|cdp)\./.test(name))).toEqual([]);
  });

  test('manifest lists browser actions when the project has Playwright', async () => {
    const { dir, run } = cliProject({ 'package.json': {} });
    mkdirSync(join(dir, 'node_modules/@playwright/test'), { recursive: true });
    writeFileSync(join(dir, 'node_modules/@playwright/test/index.js'), '');
    const { stdout } = await run('manifest');
    expect(stdout).toMatch(/^command +Runs a command in the project/m);
    expect(stdout).toMatch(/^ui\.press +\S/m);
  });
});

describe('the command line', () => {
  test.for(['validate', 'compile', 'schema', 'manifest'])('the help of %s has an example', async (command) => {
    const { exitCode, stdout } = await cliProject({}).run(command, '--help');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\s+recipewright ${command} `));
  });

  test('the command line does not crash when its reader closes the pipe', async () => {
    const { start } = cliProject({});
    for (const args of [
      ['schema', 'recipe-v1'],
      ['manifest', '--json'],
    ]) {
      const { child, ended } = start(...args);
      child.stdout?.destroy();
      const { stderr, signal } = await ended;
      expect({ stderr, signal }).toEqual({ stderr: '', signal: null });
    }
  });
});
