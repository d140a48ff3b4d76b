import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { vitestProject } from '../support/vitestProject.js';

const example = fileURLToPath(new URL('../../examples/vitest', import.meta.url));
const ignored = ['node_modules', 'recipe-results'];

test('the example passes as a user runs it, and all of its claims are proven', async () => {
  const project = vitestProject({});
  for (const name of readdirSync(example).filter((name) => !ignored.includes(name)))
    cpSync(join(example, name), join(project.dir, name), { recursive: true });
  const run = await project.run(['--reporter=json', '--outputFile=report.json']);
  expect(run).toMatchObject({ exitCode: 0, passed: 5, failed: 0, skipped: 0 });
  expect(run.suite?.totals).toMatchObject({ declared: 4, passed: 4 });
  const proof = [...run.packages.values()].flatMap(({ summary }) => summary.proof.map(({ id, status }) => `${id} ${status}`));
  expect(proof.sort()).toEqual(['AC1 proven', 'AC2 proven', 'AC3 proven']);
});
