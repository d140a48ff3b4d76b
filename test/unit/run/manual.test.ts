// A manual node asks a person: an answer given beforehand, the terminal, or nobody, which is never a pass.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
import { recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const ask = (rest: object = {}) => ({ action: 'manual', instruction: 'Compare the label.', next: 'done', ...rest });
const claimed = recipeOf({ look: ask({ proofTarget: 'AC1' }) }, { proofTargets: [{ id: 'AC1', claim: 'The label is right.' }] });

describe('an answer', () => {
  test('of pass proves the claim, and the evidence says that a person gave it', async () => {
    const { summary, trace, exitCode } = await runExtended(claimed, { answers: { look: 'pass' } });
    expect(exitCode).toBe(0);
    expect(summary).toMatchObject({ status: 'pass', proof: [{ status: 'proven', held: 1 }] });
    expect(trace[0]).toMatchObject({ output: { manual: true, instruction: 'Compare the label.', answer: 'pass', by: 'answer' } });
  });

  test('of fail refutes it', async () => {
    const { summary, trace, exitCode } = await runExtended(claimed, { answers: { look: 'fail' } });
    expect({ exitCode, status: summary.status }).toEqual({ exitCode: 1, status: 'fail' });
    expect(summary.proof).toMatchObject([{ status: 'refuted', failed: 1 }]);
    expect(trace[0]?.error).toContain('A person answered "fail": Compare the label.');
  });

  test('for another node, or for a name that every object has, is none', async () => {
    for (const name of ['lok', 'toString', 'done']) {
      const { summary } = await runExtended(claimed, { answers: { [name]: 'pass' } });
      expect([name, summary.status]).toEqual([name, 'unknown']);
    }
  });

  test('comes from the config, and the one given beside it wins', async () => {
    const files = { 'recipewright.config.mjs': "export default { answers: { look: 'pass' } };" };
    expect((await runExtended(claimed, { files })).summary.status).toBe('pass');
    expect((await runExtended(claimed, { files, answers: { look: 'fail' } })).summary.status).toBe('fail');
  });

  test('for a node of a flow is given by its path, which beats its id', async () => {
    const nodes = { ...withIntents({ look: ask({ next: 'ok' }) }), ok: { action: 'end', status: 'pass' } };
    const flows = { 'shop.look': { version: 1, description: 'Looks', workflow: { entry: 'look', nodes } } };
    const recipe = recipeOf({ call: { action: 'call', ref: 'shop.look', next: 'done' } }, { flows });
    const answers = { look: 'pass', 'call/look': 'fail' } as const;
    expect((await runExtended(recipe, { answers })).summary.status).toBe('fail');
    expect((await runExtended(recipe, { answers: { look: 'pass' } })).summary.status).toBe('pass');
  });
});

describe('nobody', () => {
  test('makes the run unknown, never a pass, and says how to answer', async () => {
    const { summary, exitCode } = await runExtended(claimed);
    expect({ exitCode, status: summary.status }).toEqual({ exitCode: 1, status: 'unknown' });
    expect(summary.reason).toContain('--answer look=pass');
    expect(summary.proof).toMatchObject([{ status: 'unproven', held: 0 }]);
  });

  test('proves nothing even where a failure is tolerated', async () => {
    const tolerated = recipeOf({ look: ask({ rw: { on_fail: 'continue' } }) });
    expect((await runExtended(tolerated)).summary.status).toBe('unknown');
  });

  test('is asked on the command line when there is no terminal, and --answer is held to its two words', async () => {
    const { dir, run } = cliProject({});
    writeFileSync(join(dir, 'a.recipe.json'), JSON.stringify(claimed));
    const args = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir'];
    expect((await run(...args, 'none')).exitCode).toBe(1);
    expect((await run(...args, 'yes', '--answer', 'look=pass')).exitCode).toBe(0);
    const wrong = await run(...args, 'maybe', '--answer', 'look=maybe');
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('must be pass or fail') });
  });
});
