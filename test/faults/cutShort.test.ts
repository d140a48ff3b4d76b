// A run that a signal stopped or killed leaves a package that verifies and never passes.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { cliProject } from '../support/cli.js';
import { recipeOf } from '../support/plain.js';

const nap = (next: string) => ({ action: 'wait', duration_ms: 8_000, next });
const body = { nodes: { a: { action: 'wait', intent: 'Let some time pass', duration_ms: 8_000 } } };
const recipe = recipeOf(
  {
    first: { action: 'wait', duration_ms: 0, next: 'both' },
    both: { action: 'rw.group', order: 'together', body, next: 'nap' },
    nap: nap('done'),
  },
  { workflow: { teardown: [{ action: 'wait', intent: 'Clean up after the nap', duration_ms: 0 }] } },
);
const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];

test.for([
  ['SIGTERM', { status: 'verified', verdict: 'unknown', reason: expect.stringContaining('SIGTERM') }],
  ['SIGKILL', { status: 'incomplete', verdict: 'unknown', reason: 'interrupted at both, both/a' }],
] as const)('F24 a run that got %s inside a body verifies as unknown', async ([signal, expected]) => {
  const { dir, start } = cliProject({ 'a.recipe.json': recipe });
  const { child, ended, sees } = start(...run);
  await sees('Let some time pass');
  child.kill(signal);
  await ended;
  const { findings, ...verification } = verifyPackage(join(dir, 'out'));
  expect(verification).toMatchObject(expected);
  // The built program writes its version into the package. The tests run from source, which has no version.
  expect(findings.filter(({ code }) => code !== 'package.other_version')).toEqual([]);
});
