// A call checks its params, runs the nodes of its flow as its children, and checks the postcondition of the flow (spec §7, §8, §9).
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { type Nodes, recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const setup = defineSetup({ actions: [ownAction('shop.show', ({ value }) => ({ output: { value } }))] });
const show = (value: unknown, rest: object = {}) => ({ action: 'shop.show', value, next: 'ok', ...rest });
const flowOf = (nodes: Nodes, rest: object = {}) => {
  const workflow = { entry: Object.keys(nodes)[0], nodes: { ...withIntents(nodes), ok: { action: 'end', status: 'pass' } } };
  return { version: 1, description: 'Shows a value', ...rest, workflow };
};
const calling = (flow: object, call: object = {}, rest: object = {}) =>
  recipeOf({ call: { action: 'call', ref: 'shop.flow', next: 'done', ...call } }, { flows: { 'shop.flow': flow }, ...rest });
const run = (flow: object, call: object = {}, rest: object = {}) => runExtended(calling(flow, call, rest), { setup });

describe('the params of a call', () => {
  const paramsSchema = {
    type: 'object',
    properties: {
      count: { type: 'integer', default: 2 },
      side: { enum: ['long', 'short'] },
      deep: { type: 'object', properties: { a: { default: 1 } } },
    },
    required: ['side'],
    additionalProperties: false,
  };
  const flow = flowOf({ in: show('{{params}}'), ...{} }, { paramsSchema });
  const values = flowOf({ in: show(['{{params.count}}', '{{params.side}}']) }, { paramsSchema });

  test('params of a call reach the nodes of the flow with their types and with the defaults of the schema', async () => {
    const { trace } = await run(values, { params: { side: 'long' } });
    expect(trace[0]).toMatchObject({ nodeId: 'call/in', output: { value: [2, 'long'] } });
  });

  test('a falsy param takes precedence over its default', async () => {
    expect((await run(values, { params: { side: 'long', count: 0 } })).trace[0]?.output).toEqual({ value: [0, 'long'] });
  });

  test.for([
    [{}, /"side" is required/],
    [{ side: 'up' }, /must be one of "long", "short"/],
    [{ side: 'long', count: 1.5 }, /integer/],
    [{ side: 'long', cuont: 1 }, /"cuont" is not allowed/],
  ] as const)('params that do not match the schema of the flow are refused before the run: %j', async ([params, message]) => {
    const { refused, findings, exitCode } = await run(values, { params });
    expect({ first: refused[0], exitCode }).toEqual({ first: 'workflow.invalid_call_params', exitCode: 2 });
    expect(findings.map((finding) => finding.message).join()).toMatch(message);
  });

  test('params that are invalid only at run time fail the call before a node of the flow runs', async () => {
    const { trace, summary } = await run(values, { params: { side: '{{inputs.side}}' } }, { inputs: { side: 'up' } });
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([['call', false]]);
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expect(summary.reason).toContain('The params of the call do not match "paramsSchema" of the flow shop.flow: "side"');
  });

  test('a reference to params without a name is refused', async () => {
    expect((await run(flow, { params: { side: 'long' } })).refused).toEqual(['template.unresolved_reference']);
  });
});

describe('the nodes of a called flow', () => {
  test('nodes of nested calls have ids below their call, and later nodes read their outputs through the call', async () => {
    const inner = flowOf({ write: show('hello') });
    const outer = flowOf({ child: { action: 'call', ref: 'shop.inner', next: 'ok' } });
    const reads = { action: 'state_read', source: 'parent', path: '$.outputs.child.outputs.write.value', next: 'done' };
    const recipe = recipeOf(
      { parent: { action: 'call', ref: 'shop.outer', next: 'read' }, read: reads },
      { flows: { 'shop.inner': inner, 'shop.outer': outer } },
    );
    const { ids, trace } = await runExtended(recipe, { setup });
    expect(ids).toEqual(['parent/child/write', 'parent/child/ok', 'parent/child', 'parent/ok', 'parent', 'read', 'done']);
    expect(trace[5]?.output).toMatchObject({ value: 'hello' });
  });

  test('nodes of a flow inherit the claim of the call, and their assertions prove the claim', async () => {
    const flow = flowOf({ in: show(1, { assert: { path: '$.value', operator: 'eq', value: 1 } }) });
    const { summary, trace } = await run(flow, { proofTarget: 'AC1' }, { proofTargets: [{ id: 'AC1', claim: 'One.' }] });
    expect(summary).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven', held: 1 }] });
    expect(trace[0]).toMatchObject({ nodeId: 'call/in', proofTarget: 'AC1' });
  });

  test('a gate inside a flow reads the params of the call, and the trace has the reason for the skip', async () => {
    const when = { path: '$.params.loud', operator: 'eq', value: true };
    const flow = flowOf({ in: show(1, { when }) }, { paramsSchema: { properties: { loud: { type: 'boolean' } } } });
    const { trace } = await run(flow, { params: { loud: false } });
    expect(trace[0]).toMatchObject({
      nodeId: 'call/in',
      ok: true,
      output: { skipped: true, reason: 'when predicate was false' },
    });
  });

  test('nodes of a flow that is called twice have different ids and the params of their own call', async () => {
    const flow = flowOf({ in: show('{{params.word}}') }, { paramsSchema: { properties: { word: { type: 'string' } } } });
    const call = (word: string, next: string) => ({ action: 'call', ref: 'shop.flow', params: { word }, next });
    const recipe = recipeOf({ a: call('one', 'b'), b: call('two', 'done') }, { flows: { 'shop.flow': flow } });
    const { trace } = await runExtended(recipe, { setup });
    const outputs = trace.filter(({ action }) => action === 'shop.show').map(({ nodeId, output }) => [nodeId, output]);
    expect(outputs).toEqual([
      ['a/in', { value: 'one' }],
      ['b/in', { value: 'two' }],
    ]);
  });
});

describe('the contract of a flow', () => {
  test('a postcondition reads the last output, all outputs, the status and the params of its flow', async () => {
    const paramsSchema = { properties: { word: { type: 'string' } } };
    const postcondition = {
      all: [
        { path: '$.value', operator: 'eq', param: 'word' },
        { path: '$.status', operator: 'eq', value: 'pass' },
        { source: 'in', path: '$.value', operator: 'eq', value: '{{params.word}}' },
        { path: '$.outputs.in.value', operator: 'eq', value: 'ahoy' },
      ],
    };
    const flow = flowOf({ in: show('{{params.word}}') }, { paramsSchema, postcondition });
    expect((await run(flow, { params: { word: 'ahoy' } })).summary.status).toBe('pass');
    const { summary, trace } = await run(flow, { params: { word: 'bye' } });
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['call/in', true],
      ['call/ok', true],
      ['call', false],
    ]);
  });

  test('a postcondition on a missing value fails the call', async () => {
    const flow = flowOf({ in: show(1) }, { postcondition: { path: '$.ready', operator: 'neq', value: false } });
    expect((await run(flow)).summary.status).toBe('fail');
  });

  test('outputsSchema of a flow is checked against the last output or against all outputs', async () => {
    const requiring = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });
    const runWith = (outputsSchema: object) => run(flowOf({ in: show(1) }, { outputsSchema }));
    expect((await runWith(requiring({ value: { type: 'number' } }))).summary.status).toBe('pass');
    expect((await runWith(requiring({ in: { type: 'object' } }))).summary.status).toBe('pass');
    const broken = await runWith(requiring({ value: { type: 'string' } }));
    expect(broken.summary).toMatchObject({
      status: 'fail',
      reason: expect.stringContaining('do not match its outputsSchema: "value"'),
    });
  });

  test('defaultPhase and defaultRecord of a flow apply to the call and to nodes without a phase, unless the call sets its own', async () => {
    const flow = flowOf({ in: show(1) }, { defaultPhase: 'start_state', defaultRecord: 'failure_only' });
    const { trace } = await run(flow);
    expect(trace.slice(0, 3).map(({ nodeId, phase }) => [nodeId, phase])).toEqual([
      ['call/in', 'start_state'],
      ['call/ok', 'start_state'],
      ['call', 'start_state'],
    ]);
    expect(trace[2]?.record).toBe('failure_only');
    const own = await run(flow, { phase: 'setup', record: 'none' });
    expect(own.trace[2]).toMatchObject({ nodeId: 'call', phase: 'setup', record: 'none' });
  });
});
