// What a doctor concludes from what it is told, where the machine cannot be made to say it.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadRecipe } from '../../../../src/check/loadRecipe.js';
import { hasErrors } from '../../../../src/document/finding.js';
import { createRegistry } from '../../../../src/registry/registry.js';
import { type CheckId, fail } from '../../../../src/run/doctor/doctorCheck.js';
import { examineProject } from '../../../../src/run/doctor/examineProject.js';
import { examineDisk } from '../../../../src/run/doctor/isolation.js';
import { examineNode } from '../../../../src/run/doctor/tools.js';
import { wellKnownInputs } from '../../../../src/run/inputs/resolveInputs.js';
import { validateSetup } from '../../../../src/run/project/validateSetup.js';

test.for([
  ['18.20.0', 'fail'],
  ['20.18.3', 'fail'],
  ['20.19.0', 'pass'],
  ['24.0.0', 'pass'],
] as const)('Node %s is a %s', ([version, status]) => {
  expect(examineNode(version).status).toBe(status);
});

test.for([
  [[5e6, 9e12], 'fail', 'Only 5 MB are left on the disk of /a.'],
  [[9e12, 5e8], 'warn', 'Only 500 MB are left on the disk of /b.'],
  [[9e12, 2e9], 'pass', '2,000 MB are left on the disk of /b.'],
  [[undefined, undefined], 'pass', 'The system does not say how much space is left.'],
] as const)('the disk with the least space decides: %j', ([[a, b], status, message]) => {
  const free = (dir: string): number | undefined => (dir === '/a' ? a : b);
  expect(examineDisk(['/a', '/b'], free)).toMatchObject({ status, message });
});

test('a check cannot fail without saying what to do', () => {
  expect(() => fail('tools.spoon' as CheckId, 'There is no spoon.')).toThrow('There is no fix for tools.spoon.');
});

const schema = { safeParse: () => undefined };
const action = { name: 'a.b', description: 'It does.', schema, examples: [], effect: 'user', run: () => ({}) };

test.for([
  [{}, undefined],
  [{ actions: [action] }, undefined],
  [{ actions: [{ ...action, effect: () => 'user' }] }, undefined],
  [{ actions: 'a.b' }, '"actions" is a string, but it is to be a list'],
  [{ actions: [undefined] }, 'actions[0] is nothing, but it is to be an object'],
  [{ actions: [action, { ...action, name: '' }] }, 'actions[1] has a string as "name", but it is to be a text'],
  [{ actions: [{ ...action, schema: {} }] }, 'actions[0] ("a.b") has an object as "schema", but it is to be a zod schema'],
  [
    { actions: [{ ...action, effect: 'magic' }] },
    'actions[0] ("a.b") has a string as "effect", but it is to be none, reads, user, backdoor',
  ],
  [
    { preconditions: [{ id: 'x', description: 'y' }] },
    'preconditions[0] ("x") has nothing as "check", but it is to be a function',
  ],
  [
    { operators: [{ name: 'x.y', description: 'y', holds: true }] },
    'operators[0] ("x.y") has a boolean as "holds", but it is to be a function',
  ],
  [{ stateRefs: [{ name: 'x', description: null }] }, 'stateRefs[0] ("x") has null as "description", but it is to be a text'],
] as const)('a setup module is told what is wrong with it first: %#', ([setup, problem]) => {
  expect(validateSetup(setup)).toBe(problem);
});

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const recipesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.json') && !name.startsWith('packages'))
        .map((name) => join(folder, name))
    : [];

test('a document that cannot run never passes, whatever is wrong with it', async () => {
  const files = recipesIn(join(root, 'test/corpus/bad'));
  expect(files.length).toBeGreaterThan(50);
  for (const recipe of files) {
    const { findings } = loadRecipe(recipe, { registry: createRegistry(), projectRoot: root, wellKnown: wellKnownInputs });
    const { status, checks } = await examineProject({ recipe, projectRoot: root, env: process.env });
    const about = checks.filter(({ category }) => category === 'runtime' || category === 'fixtures');
    if (!hasErrors(findings)) continue;
    expect({ recipe, status, failed: about.some((check) => check.status === 'fail') }).toEqual({
      recipe,
      status: 'fail',
      failed: true,
    });
  }
});

const corpus = join(root, '../shared/corpus/recipe-v1/recipes');

test.skipIf(!existsSync(corpus))('every real recipe gets a report (skipped where ../shared/corpus is not there)', async () => {
  const files = recipesIn(corpus);
  expect(files.length).toBeGreaterThan(10);
  for (const recipe of files) {
    const { checks } = await examineProject({ recipe, env: {} });
    expect(checks.map(({ id }) => id)).toContain('runtime.recipe');
  }
});
