import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectWhole } from '../support/evidence.js';
import { filesBelow, packageOf } from '../support/packages.js';
import { type Node, recipe } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const setup = setupFile(
  {
    'lab.keep':
      "return { output: {}, artifacts: [{ path: fields.file, type: 'log', mimeType: 'text/plain', body: Buffer.from(fields.text) }] };",
    'lab.attach': 'await test.info().attach(fields.file, { body: fields.text }); return {};',
  },
  "import { test } from '@playwright/test';",
);

const keep = (file: string, text: string): Node => ({ action: 'lab.keep', file, text });

const sameName = recipe(
  {
    attach: { action: 'lab.attach', file: 'logs/state.txt', text: 'of the project' },
    one: keep('logs/state.txt', 'one'),
    two: keep('logs/state.txt', 'two'),
  },
  { title: 'Same name', teardown: [keep('logs/state.txt', 'three')] },
);
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
const takenName = recipe(
  {
    ...Object.fromEntries(taking.map((file, index) => [`keep-${index}`, keep(file, `text ${index}`)])),
    odd: keep('./logs//note.txt', 'odd'),
    plain: keep('logs/note.txt', 'plain'),
  },
  { title: 'Taken name' },
);
const outside = recipe({ keep: keep('../../../outside.txt', 'outside') }, { title: 'Outside' });

const runAll = shareRun({
  'recipes.setup.ts': setup,
  'recipes/a.recipe.json': sameName,
  'recipes/b.recipe.json': takenName,
  'recipes/c.recipe.json': outside,
});

test('two artifacts with the same name are both in the package, from the graph, the teardown and an attachment of the project', async ({
  project,
}) => {
  const { run } = await runAll(project);
  expect(run.stderr).toBe('');
  expect(testsIn(run.report)[0]).toMatchObject({ title: 'Same name', ok: true });
  const found = packageOf(run, 'recipes/a');
  expectWhole(found);
  expect(found.summary.status).toBe('pass');
  const contents = found.files
    .filter((file) => file.startsWith('logs/'))
    .map((file) => readFileSync(join(found.dir, file), 'utf8'));
  expect(contents.sort()).toEqual(['one', 'three', 'two']);
});

test('an artifact cannot have the name of a file of the package, and one file cannot have two names', async ({ project }) => {
  const { run } = await runAll(project);
  const found = packageOf(run, 'recipes/b');
  // Whether the artifact is refused or renamed, the manifest is correct for every file.
  expectWhole(found);
  expect(testsIn(run.report)[1]).toMatchObject({ title: 'Taken name', ok: found.summary.status === 'pass' });
});

test('an artifact whose path leaves the package is not written', async ({ project }) => {
  const { inner, run } = await runAll(project);
  expect(run.exitCode).toBe(1);
  expect(testsIn(run.report)[2]).toMatchObject({ title: 'Outside', ok: false });
  expect(packageOf(run, 'recipes/c').summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
  expect(filesBelow(join(inner.dir, '..')).filter((file) => file.endsWith('outside.txt'))).toEqual([]);
});
