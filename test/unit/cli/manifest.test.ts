// `recipewright manifest` prints a project's own actions.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fromManifest } from '../../../src/registry/manifest/fromManifest.js';
import { inProcess } from '../../support/command.js';
import { recipeOf } from '../../support/plain.js';
import { shopSetup, setupProject as startedProject } from '../../support/setupProject.js';

const setupProject = (files: Record<string, unknown>) => inProcess(startedProject(files));
const config = `export default { setup: './setup.ts' };`;

describe('recipewright manifest', () => {
  test.for([
    ['--setup', { 'setup.ts': shopSetup }, ['--setup', 'setup.ts']],
    ['the config', { 'setup.ts': shopSetup, 'recipewright.config.mjs': config }, []],
  ] as const)('manifest lists what the setup module of %s adds', async ([, files, args]) => {
    const { exitCode, stdout, stderr } = await startedProject(files).run('manifest', '--json', ...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const manifest = JSON.parse(stdout);
    expect(fromManifest(manifest).findings).toEqual([]);
    expect(manifest.custom_actions).toContainEqual(
      expect.objectContaining({ name: 'shop.pay', owner: 'shop', description: 'Pays the cart.', effect: 'user' }),
    );
    expect(manifest).toMatchObject({
      pre_conditions: [{ id: 'shop.open', description: 'The shop is open.', failure_kind: 'fixture' }],
      custom_assertion_operators: [{ name: 'shop.is_price', description: 'A price in euros.' }],
      state_refs: [{ name: 'shop.cart', description: 'What is in the cart.' }],
    });
    expect(stdout).not.toContain('"pre_condition"');
  });

  test('manifest prints a table with headings', async () => {
    const { exitCode, stdout, stderr } = await setupProject({ 'setup.ts': shopSetup }).run('manifest', '--setup', 'setup.ts');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^shop\.pay +Pays the cart\.$/m);
    expect(stdout.slice(stdout.indexOf('Preconditions')).replace(/ +/g, ' ')).toBe(
      'Preconditions\nshop.open The shop is open.\n\nAssertion operators\nshop.is_price A price in euros.\n\nState refs\nshop.cart What is in the cart.\n',
    );
    expect(stdout).not.toMatch(/^pre_condition /m);
  });

  test('manifest lists an action that needs a fixture only where Playwright provides it', async () => {
    const { dir, run } = setupProject({
      'package.json': {},
      'setup.ts': shopSetup.replace("effect: 'user'", "effect: 'user', needs: ['wallet']"),
    });
    const names = async (): Promise<string[]> => {
      const { stdout } = await run('manifest', '--setup', 'setup.ts', '--json');
      return JSON.parse(stdout).custom_actions.map(({ name }: { name: string }) => name);
    };
    expect(await names()).not.toContain('shop.pay');
    mkdirSync(join(dir, 'node_modules/@playwright/test'), { recursive: true });
    writeFileSync(join(dir, 'node_modules/@playwright/test/index.js'), '');
    expect(await names()).toContain('shop.pay');
  });

  test('a recipe with project actions is valid by the manifest of that project', async () => {
    const recipe = recipeOf(
      { first: { action: 'shop.pay', amount: 2, next: 'done' } },
      { workflow: { pre_conditions: ['shop.open'] } },
    );
    const { dir, run } = setupProject({ 'setup.ts': shopSetup, 'a.recipe.json': recipe });
    const { stdout } = await run('manifest', '--setup', 'setup.ts', '--json');
    writeFileSync(join(dir, 'm.json'), stdout);
    expect(await run('validate', 'a.recipe.json', '--action-manifest', 'm.json')).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.for([
    ['is not there', {}, /The setup module .*setup\.ts does not exist\./],
    ['is torn', { 'setup.ts': 'export default {' }, /setup\.ts could not be loaded: .*setup\.ts:1/],
    [
      'has no default export',
      { 'setup.ts': 'export const setup = {};' },
      /has no default export\. Write "export default defineSetup/,
    ],
    [
      'is misspelt',
      { 'setup.ts': 'export default { action: [] };' },
      /has the unknown key "action"\. The known keys are actions/,
    ],
    ['gives no list', { 'setup.ts': 'export default { actions: {} };' }, /"actions" is an object, but must be an array/],
    [
      'has an action that cannot run',
      { 'setup.ts': shopSetup.replace('run: (', 'does: (') },
      /"run" of actions\[0\] \("shop\.pay"\) is missing, but must be a function\./,
    ],
    ['has an action without a namespace', { 'setup.ts': shopSetup.replace("'shop.pay'", "'pay'") }, /needs a namespace/],
    ['imports a missing package', { 'setup.ts': "import 'no-such-package'; export default {};" }, /no-such-package/],
  ] as const)('manifest refuses a setup module that %s, with exit code 2', async ([, files, message]) => {
    const { exitCode, stdout, stderr } = await setupProject(files).run('manifest', '--setup', 'setup.ts', '--json');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('bug of its own');
  });

  test.for([
    ['ends the process', 'process.exit(0);'],
    ['never settles', 'await new Promise(() => undefined);'],
  ] as const)('manifest does not exit with 0 when the setup module %s', async ([, text]) => {
    const { exitCode, stdout, stderr } = await startedProject({ 's.mjs': `${text}\nexport default {};` }).run(
      'manifest',
      '--setup',
      's.mjs',
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toContain('the process ended before the command did');
  });

  test('manifest keeps logs of the setup module out of the JSON document', async () => {
    const { exitCode, stdout, stderr } = await startedProject({ 's.ts': `console.log('noise');\n${shopSetup}` }).run(
      ...['manifest', '--setup', 's.ts', '--json'],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'noise\n' });
    expect(JSON.parse(stdout).runner_protocol_version).toBe(1);
  });
});
