import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectWhole } from '../support/evidence.js';
import { filesBelow, packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { type Node, recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const setup = setupFile(
  {
    'lab.keep':
      "return { output: {}, artifacts: [{ path: fields.file, type: 'log', mimeType: 'text/plain', body: Buffer.from(fields.text) }] };",
    'lab.attach': 'await test.info().attach(fields.file, { body: fields.text }); return {};',
  },
  "import { test } from '@playwright/test';",
);

const keep = (file: string, text: string): Node => ({ action: 'lab.keep', file, text });

test('two artifacts of one name are both kept, in the graph, in the teardown and beside an attachment of the project', async ({
  project,
}) => {
  const document = recipe(
    {
      attach: { action: 'lab.attach', file: 'logs/state.txt', text: 'of the project' },
      one: keep('logs/state.txt', 'one'),
      two: keep('logs/state.txt', 'two'),
    },
    { teardown: [keep('logs/state.txt', 'three')] },
  );
  const run = await project({ 'recipes.setup.ts': setup, 'recipes/a.recipe.json': document }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0 });
  const found = packageOf(run, 'recipes/a');
  expectWhole(found);
  expect(found.summary.status).toBe('pass');
  const kept = found.files.filter((file) => file.startsWith('logs/')).map((file) => readFileSync(join(found.dir, file), 'utf8'));
  expect(kept.sort()).toEqual(['one', 'three', 'two']);
});

test('an artifact cannot take the name of a file of the package, nor one file two names', async ({ project }) => {
  const taking = [
    'summary.json',
    'journal.jsonl',
    'recipe.json',
    'artifact-manifest.json',
    'trace.json',
    '.recipewright',
    './summary.json',
    'Summary.json',
  ];
  const document = recipe({
    ...Object.fromEntries(taking.map((file, index) => [`keep-${index}`, keep(file, `text ${index}`)])),
    odd: keep('./logs//note.txt', 'odd'),
    plain: keep('logs/note.txt', 'plain'),
  });
  const run = await project({ 'recipes.setup.ts': setup, 'recipes/a.recipe.json': document }).run();
  const found = packageOf(run, 'recipes/a');
  // Refused or renamed: either way the manifest tells the truth about every file.
  expectWhole(found);
  expect(run.exitCode).toBe(found.summary.status === 'pass' ? 0 : 1);
});

test('an artifact whose path leaves the package is written nowhere', async ({ project }) => {
  const inner = project({
    'recipes.setup.ts': setup,
    'recipes/a.recipe.json': recipe({ keep: keep('../../../outside.txt', 'outside') }),
  });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  expect(packageOf(run, 'recipes/a').summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
  expect(filesBelow(join(inner.dir, '..')).filter((file) => file.endsWith('outside.txt'))).toEqual([]);
});
