// The example manifest of the format's document, run with a person who approves or rejects.
import { describe, expect, test } from 'vitest';
import { defineAgent, defineLogic, defineRouter } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { corpusText, hasCorpus } from './corpus.js';
import { drawRun } from './drawRun.js';
import { compileManifest, prepareManifest, runManifest } from './runManifest.js';

const registered = {
  agents: [
    defineAgent('ResearchAgent', ({ inputs, overrides, parameters }) => {
      return { draft: `${inputs.topic} by ${parameters.model} at ${overrides.temperature}`, messages: ['researched'] };
    }),
    defineAgent('ReviseAgent', ({ state }) => ({ draft: `${state.draft}, revised` })),
  ],
  logic: [defineLogic('publish', ({ state }) => ({ output: `published ${state.draft}` }))],
  routers: [defineRouter('logic.approve_or_reject', ({ state }) => (state.approved ? 'approved' : 'rejected'))],
};

describe.runIf(hasCorpus)('the corrected example of the document (skipped without ../shared/corpus)', () => {
  const text = hasCorpus ? corpusText('doc-example-fixed.json') : '';
  const run = (answer: 'pass' | 'fail') =>
    runManifest(text, { ...registered, inputs: { topic: 'tea' }, answers: { step_2: answer } });

  test('the example manifest publishes when a person approves', async () => {
    const result = await run('pass');
    expect(result).toMatchObject({ status: 'pass', error: '', replayed: undefined, skipped: ['topology/step_1_revise'] });
    expect(result.output('topology/step_3_publish')).toBe('published tea by gpt-4 at 0.2');
    expect(result.ends.get('topology/step_2')?.output).toMatchObject({
      output: 'approved',
      update: { approved: true },
      by: 'fixture',
      routes: [{ router: 'logic.approve_or_reject', value: 'approved', target: 'step_3_publish' }],
    });
  });

  test('the example manifest revises when a person rejects', async () => {
    const result = await run('fail');
    expect(result).toMatchObject({ status: 'pass', error: '', replayed: undefined, skipped: ['topology/step_3_publish'] });
    expect(result.ends.get('close')?.output).toMatchObject({ state: { approved: false, draft: 'tea by gpt-4 at 0.2, revised' } });
  });

  test('the picture of the example manifest shows which edges were taken', async () => {
    const edgesAfter = async (answer: 'pass' | 'fail') => {
      const { edges } = await drawRun(text, { ...registered, inputs: { topic: 'tea' }, answers: { step_2: answer } });
      return edges.filter((line) => line.startsWith('step_2 ')).map((line) => line.split(' ').slice(0, 3).join(' '));
    };
    expect((await edgesAfter('pass')).sort()).toEqual(['step_2 --> step_3_publish', 'step_2 -.-> step_1_revise']);
    expect((await edgesAfter('fail')).sort()).toEqual(['step_2 --> step_1_revise', 'step_2 -.-> step_3_publish']);
  });

  test('the example manifest is unknown without an answer', async () => {
    const result = await runManifest(text, { ...registered, inputs: { topic: 'tea' } });
    expect(result.status).toBe('unknown');
    expect(result.error).toMatch(/^manual.unanswered: Nobody answered: Approval/);
  });

  test('the nodes of the example manifest have their labels as intents and their positions in the document', () => {
    const { compiled } = prepareManifest(text, registered);
    const nodes = compiled.recipe.nodes.get('topology')?.body?.nodes;
    expect([...(nodes?.values() ?? [])].map(({ intent }) => intent)).toEqual([
      'Research Phase',
      'Approval',
      'Compute "step_3_publish" with its logic',
      'Ask the agent ReviseAgent for "step_1_revise"',
    ]);
    const place = compiled.origin(nodes?.get('step_2')?.pointer ?? '');
    expect(text.split('\n')[place.line - 1]).toContain('{');
    expect(text.split('\n')[place.line]).toContain('"step_2"');
  });

  test('the example exactly as in the document is refused because of its persistence', () => {
    const { compiled, findings } = compileManifest(corpusText('doc-example-as-written.INVALID.json'));
    expect(compiled).toBeUndefined();
    expect(findings.map(({ code, path, message }) => ({ code, path, message }))).toContainEqual({
      code: 'runtime.invalid_value',
      path: '/state/persistence',
      message: "state.persistence: Input should be 'ephemeral' or 'persistent'",
    });
  });
});
