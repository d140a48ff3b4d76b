// Results of the doctor that a test cannot produce by changing this machine.
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
] as const)('the doctor check for Node %s has the status %s', ([version, status]) => {
  expect(examineNode(version).status).toBe(status);
});

test.for([
  [[5e6, 9e12], 'fail', 'Only 5 MB are free on the disk of /a.'],
  [[9e12, 5e8], 'warn', 'Only 500 MB are free on the disk of /b.'],
  [[9e12, 2e9], 'pass', '2,000 MB are free on the disk of /b.'],
  [[undefined, undefined], 'pass', 'The system does not report how much disk space is free.'],
] as const)('the doctor reports the disk with the least free space: %j', ([[a, b], status, message]) => {
  const free = (dir: string): number | undefined => (dir === '/a' ? a : b);
  expect(examineDisk(['/a', '/b'], free)).toMatchObject({ status, message });
});

test('a failed doctor check without a fix throws', () => {
  expect(() => fail('tools.spoon' as CheckId, 'There is no spoon.')).toThrow('There is no fix for tools.spoon.');
});

const schema = { safeParse: () => undefined };
const action = { name: 'a.b', description: 'It does.', schema, examples: [], effect: 'user', run: () => ({}) };

test.for([
  [{}, undefined],
  [{ actions: [action] }, undefined],
  [{ actions: [{ ...action, effect: () => 'user' }] }, undefined],
  [{ actions: 'a.b' }, '"actions" is a string, but must be an array'],
  [{ actions: [undefined] }, 'actions[0] is missing, but must be an object'],
  [{ actions: [action, { ...action, name: '' }] }, '"name" of actions[1] is "", but must be a non-empty string'],
  [{ actions: [{ ...action, schema: {} }] }, '"schema" of actions[0] ("a.b") is an object, but must be a zod schema'],
  [
    { actions: [{ ...action, effect: 'magic' }] },
    '"effect" of actions[0] ("a.b") is "magic", but must be one of none, reads, user, backdoor',
  ],
  [{ preconditions: [{ id: 'x', description: 'y' }] }, '"check" of preconditions[0] ("x") is missing, but must be a function'],
  [
    { operators: [{ name: 'x.y', description: 'y', holds: true }] },
    '"holds" of operators[0] ("x.y") is a boolean, but must be a function',
  ],
  [
    { stateRefs: [{ name: 'x', description: null }] },
    '"description" of stateRefs[0] ("x") is null, but must be a non-empty string',
  ],
] as const)('validateSetup returns the first problem of a setup: %#', ([setup, problem]) => {
  expect(validateSetup(setup)).toBe(problem);
});

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const recipesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.json') && !name.startsWith('packages'))
        .map((name) => join(folder, name))
    : [];

test('the doctor fails for every bad document of the corpus', async () => {
  const files = recipesIn(join(root, 'test/corpus/bad'));
  expect(files.length).toBeGreaterThan(50);
  for (const recipe of files) {
    const { findings } = loadRecipe(recipe, { registry: createRegistry(), projectRoot: root, wellKnown: wellKnownInputs });
    const { status, checks } = await examineProject({ recipe, projectRoot: root, env: process.env });
    const recipeChecks = checks.filter(({ category }) => category === 'runtime' || category === 'fixtures');
    if (!hasErrors(findings)) continue;
    expect({ recipe, status, failed: recipeChecks.some((check) => check.status === 'fail') }).toEqual({
      recipe,
      status: 'fail',
      failed: true,
    });
  }
});

const corpus = join(root, '../shared/corpus/recipe-v1/recipes');

test.skipIf(!existsSync(corpus))('the doctor reports on every published recipe (skipped without ../shared/corpus)', async () => {
  const files = recipesIn(corpus);
  expect(files.length).toBeGreaterThan(10);
  for (const recipe of files) {
    const { checks } = await examineProject({ recipe, env: {} });
    expect(checks.map(({ id }) => id)).toContain('runtime.recipe');
  }
});
