// A manual node gets its answer from an option, the config or the terminal. Without an answer the run never passes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
import { recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const ask = (rest: object = {}) => ({ action: 'manual', instruction: 'Compare the label.', next: 'done', ...rest });
const claimed = recipeOf({ look: ask({ proofTarget: 'AC1' }) }, { proofTargets: [{ id: 'AC1', claim: 'The label is right.' }] });

describe('the answer to a manual node', () => {
  test('the answer "pass" proves the claim of a manual node, and the trace has the source of the answer', async () => {
    const { summary, trace, exitCode } = await runExtended(claimed, { answers: { look: 'pass' } });
    expect(exitCode).toBe(0);
    expect(summary).toMatchObject({ status: 'pass', proof: [{ status: 'proven', held: 1 }] });
    expect(trace[0]).toMatchObject({ output: { manual: true, instruction: 'Compare the label.', answer: 'pass', by: 'answer' } });
  });

  test('the answer "fail" refutes the claim of a manual node', async () => {
    const { summary, trace, exitCode } = await runExtended(claimed, { answers: { look: 'fail' } });
    expect({ exitCode, status: summary.status }).toEqual({ exitCode: 1, status: 'fail' });
    expect(summary.proof).toMatchObject([{ status: 'refuted', failed: 1 }]);
    expect(trace[0]?.error).toContain('A person answered "fail": Compare the label.');
  });

  test('an answer for another node or for the name of an inherited property is ignored', async () => {
    for (const name of ['lok', 'toString', 'done']) {
      const { summary } = await runExtended(claimed, { answers: { [name]: 'pass' } });
      expect([name, summary.status]).toEqual([name, 'unknown']);
    }
  });

  test('an answer in the options takes precedence over an answer in the config', async () => {
    const files = { 'recipewright.config.mjs': "export default { answers: { look: 'pass' } };" };
    expect((await runExtended(claimed, { files })).summary.status).toBe('pass');
    expect((await runExtended(claimed, { files, answers: { look: 'fail' } })).summary.status).toBe('fail');
  });

  test('an answer by the path of a node takes precedence over an answer by its id', async () => {
    const nodes = { ...withIntents({ look: ask({ next: 'ok' }) }), ok: { action: 'end', status: 'pass' } };
    const flows = { 'shop.look': { version: 1, description: 'Looks', workflow: { entry: 'look', nodes } } };
    const recipe = recipeOf({ call: { action: 'call', ref: 'shop.look', next: 'done' } }, { flows });
    const answers = { look: 'pass', 'call/look': 'fail' } as const;
    expect((await runExtended(recipe, { answers })).summary.status).toBe('fail');
    expect((await runExtended(recipe, { answers: { look: 'pass' } })).summary.status).toBe('pass');
  });
});

describe('a manual node without an answer', () => {
  test('a manual node without an answer makes the run unknown, and the reason says how to answer', async () => {
    const { summary, exitCode } = await runExtended(claimed);
    expect({ exitCode, status: summary.status }).toEqual({ exitCode: 1, status: 'unknown' });
    expect(summary.reason).toContain('--answer look=pass');
    expect(summary.proof).toMatchObject([{ status: 'unproven', held: 0 }]);
  });

  test('a manual node without an answer makes the run unknown even with on_fail: continue', async () => {
    const tolerated = recipeOf({ look: ask({ rw: { on_fail: 'continue' } }) });
    expect((await runExtended(tolerated)).summary.status).toBe('unknown');
  });

  test('the command line without a terminal asks no question, and --answer accepts only pass or fail', async () => {
    const { dir, run } = cliProject({});
    writeFileSync(join(dir, 'a.recipe.json'), JSON.stringify(claimed));
    const args = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir'];
    expect((await run(...args, 'none')).exitCode).toBe(1);
    expect((await run(...args, 'yes', '--answer', 'look=pass')).exitCode).toBe(0);
    const wrong = await run(...args, 'maybe', '--answer', 'look=maybe');
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('must be pass or fail') });
  });
});
