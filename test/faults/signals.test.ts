// A run that is stopped or killed is unknown, never green, and says where it was.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readJournal } from '../../src/evidence/journal.js';
import { buildPackage } from '../../src/evidence/package.js';
import { cliProject } from '../support/cli.js';
import { recipeOf } from '../support/plain.js';

const sleeping = recipeOf(
  { first: { action: 'command', cmd: 'echo one', next: 'nap' }, nap: { action: 'command', cmd: 'sleep 8', next: 'done' } },
  { workflow: { teardown: [{ action: 'command', intent: 'Clean up after the nap', cmd: 'echo cleaned' }] } },
);
const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', '--json'];
const napping = 'RUN 2/4 Do what nap is there for';

describe('a run', () => {
  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('stopped by %s finishes its package and exits with %i', async ([signal, code]) => {
    const { dir, start } = cliProject({ 'a.recipe.json': sleeping });
    const { child, ended, sees } = start(...run);
    await sees(napping);
    const asked = performance.now();
    child.kill(signal);
    const { exitCode, stdout } = await ended;
    expect(performance.now() - asked).toBeLessThan(6_000);
    expect(exitCode).toBe(code);
    const summary = JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'));
    expect(JSON.parse(stdout).summary).toEqual(summary);
    expect(summary).toMatchObject({ status: 'unknown', cause_class: 'unknown', signal });
    const trace = JSON.parse(readFileSync(join(dir, 'out/trace.json'), 'utf8')) as { nodeId: string; ok: boolean }[];
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['first', true],
      ['nap', false],
      ['teardown:0', true],
    ]);
  });

  test('killed at once leaves a journal that says unknown and names the node', async () => {
    const { dir, start } = cliProject({ 'a.recipe.json': sleeping });
    const { child, ended, sees } = start(...run);
    await sees(napping);
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGKILL', stdout: '' });
    const journal = readFileSync(join(dir, 'out/journal.jsonl'), 'utf8').trimEnd().split('\n');
    expect(readJournal(journal).problem).toBeUndefined();
    const { summary, trace } = buildPackage({ id: 'a', recipe: sleeping, journal, artifact: () => undefined });
    expect(summary).toMatchObject({ status: 'unknown', reason: 'interrupted at nap', interruptedAt: ['nap'] });
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['first', true],
      ['nap', false],
    ]);
  });
});
