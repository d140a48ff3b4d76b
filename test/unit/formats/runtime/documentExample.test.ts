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

describe.runIf(hasCorpus)('the example of the document, repaired, (skipped where ../shared/corpus is not there)', () => {
  const text = hasCorpus ? corpusText('doc-example-fixed.json') : '';
  const run = (answer: 'pass' | 'fail') =>
    runManifest(text, { ...registered, inputs: { topic: 'tea' }, answers: { step_2: answer } });

  test('publishes when a person approves', async () => {
    const ran = await run('pass');
    expect(ran).toMatchObject({ status: 'pass', error: '', replayed: undefined, skipped: ['topology/step_1_revise'] });
    expect(ran.output('topology/step_3_publish')).toBe('published tea by gpt-4 at 0.2');
    expect(ran.ends.get('topology/step_2')?.output).toMatchObject({
      output: 'approved',
      update: { approved: true },
      by: 'fixture',
      routes: [{ router: 'logic.approve_or_reject', value: 'approved', target: 'step_3_publish' }],
    });
  });

  test('revises when a person rejects', async () => {
    const ran = await run('fail');
    expect(ran).toMatchObject({ status: 'pass', error: '', replayed: undefined, skipped: ['topology/step_3_publish'] });
    expect(ran.ends.get('close')?.output).toMatchObject({ state: { approved: false, draft: 'tea by gpt-4 at 0.2, revised' } });
  });

  test('shows in its picture which way was taken', async () => {
    const waysAfter = async (answer: 'pass' | 'fail') => {
      const { ways } = await drawRun(text, { ...registered, inputs: { topic: 'tea' }, answers: { step_2: answer } });
      return ways.filter((way) => way.startsWith('step_2 ')).map((way) => way.split(' ').slice(0, 3).join(' '));
    };
    expect((await waysAfter('pass')).sort()).toEqual(['step_2 --> step_3_publish', 'step_2 -.-> step_1_revise']);
    expect((await waysAfter('fail')).sort()).toEqual(['step_2 --> step_1_revise', 'step_2 -.-> step_3_publish']);
  });

  test('is unknown when nobody answers', async () => {
    const ran = await runManifest(text, { ...registered, inputs: { topic: 'tea' } });
    expect(ran.status).toBe('unknown');
    expect(ran.error).toMatch(/^manual.unanswered: Nobody answered: Approval/);
  });

  test('has the labels of its nodes as intents and their places in the document', () => {
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

  test('as the document writes it is refused for its persistence', () => {
    const { compiled, findings } = compileManifest(corpusText('doc-example-as-written.INVALID.json'));
    expect(compiled).toBeUndefined();
    expect(findings.map(({ code, path, message }) => ({ code, path, message }))).toContainEqual({
      code: 'runtime.invalid_value',
      path: '/state/persistence',
      message: "state.persistence: Input should be 'ephemeral' or 'persistent'",
    });
  });
});
