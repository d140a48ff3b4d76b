// Runtime Recipe Definition manifests as Vitest tests.
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { lineIn, manifestFiles } from '../support/manifestSuite.js';
import { packageOf } from '../support/packages.js';
import { vitestProject } from '../support/vitestProject.js';

test('runtime manifests are tests with their names, and one that cannot run or was changed fails alone and has no package', async () => {
  const project = vitestProject(manifestFiles, { recipes: { recipes: 'recipes/*.runtime.json' } });
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 4, skipped: 0 });
  const shownTests = new Map(run.tests.map(({ title, line, messages }) => [title, { line, text: messages.join('\n') }]));
  expect([...shownTests].map(([title, { line }]) => `${line} ${title}`).sort()).toEqual([
    '4 The manifest approved',
    '4 The manifest printing',
    '4 The manifest stranger',
    '4 The manifest tampered',
    '4 The manifest unanswered',
    '4 The manifest unmapped',
  ]);
  expect(shownTests.get('The manifest unanswered')?.text).toContain('Nobody answered: May the draft be printed?');
  const unmapped = shownTests.get('The manifest unmapped')?.text;
  expect(unmapped).toContain('returned "approved", which its mapping does not have');
  expect(unmapped).toContain(`c-unmapped.runtime.json:${lineIn('recipes/c-unmapped.runtime.json', '"id": "ask"') - 1}:`);
  expect(shownTests.get('The manifest stranger')?.text).toContain('the agent "Wirter" is not registered');
  expect(shownTests.get('The manifest tampered')?.text).toContain('integrity_hash does not match the topology');
  const ids = ['recipes/a-approved', 'recipes/b-unanswered', 'recipes/c-unmapped', 'recipes/f-printing'];
  expect([...run.packages.keys()].sort()).toEqual(ids);
  expect(ids.map((id) => packageOf(run, id).summary.status)).toEqual(['pass', 'unknown', 'fail', 'pass']);
  for (const id of ids) expectWhole(packageOf(run, id));
});

test('the runtime example with every type of node and edge passes', async () => {
  const example = fileURLToPath(new URL('../../examples/desk', import.meta.url));
  const project = vitestProject({});
  for (const name of readdirSync(example).filter((name) => !/^(node_modules|recipe-results|test-results)$/.test(name)))
    cpSync(join(example, name), join(project.dir, name), { recursive: true });
  const run = await project.run(['--reporter=json', '--outputFile=report.json']);
  expect(run).toMatchObject({ exitCode: 0, passed: 2, failed: 0, skipped: 0 });
  expect([...run.packages].map(([id, { summary }]) => `${id} ${summary.status}`).sort()).toEqual([
    'manifests/article pass',
    'manifests/fact-check pass',
  ]);
});
