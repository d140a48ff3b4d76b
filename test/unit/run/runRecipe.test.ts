// Runs of recipes in the plain host with real processes: gates, switches, calls, the life cycle, outputs and assertions.
import { describe, expect, test } from 'vitest';
import { recipeOf, runPlain, withIntents } from '../../support/plain.js';

const echo = (text: string, rest: object = {}) => ({ action: 'command', argv: ['echo', text], next: 'done', ...rest });
const fail = (rest: object = {}) => ({ action: 'command', argv: ['false'], next: 'done', ...rest });
const end = (status: string) => ({ action: 'end', status });

/** A case of a switch that never holds. */
const never = { when: { source: 'saved', operator: 'eq', value: 'nothing' }, next: 'done' };

describe('gates', () => {
  const gated = (gate: object) => recipeOf({ first: echo('one', { next: 'second' }), second: echo('two', gate) });

  test.for([
    ['a node runs when its "when" holds', { when: { path: '$.first.exitCode', operator: 'eq', value: 0 } }, false],
    ['a node is skipped when its "when" does not hold', { when: { path: '$.first.exitCode', operator: 'eq', value: 1 } }, true],
    [
      'a node is skipped when its "when" reads a missing value',
      { when: { path: '$.first.nowhere', operator: 'neq', value: 1 } },
      true,
    ],
    [
      'a node is skipped when its "unless" holds',
      { unless: { source: 'first', path: '$.stdout', operator: 'contains', value: 'one' } },
      true,
    ],
    [
      'a node runs when its "unless" does not hold',
      { unless: { source: 'first', path: '$.stdout', operator: 'contains', value: 'two' } },
      false,
    ],
  ] as const)('%s', async ([, gate, skipped]) => {
    const { trace, summary, ids } = await runPlain(gated(gate));
    expect(summary.status).toBe('pass');
    expect(ids).toEqual(['first', 'second', 'done']);
    expect((trace[1]?.output as { skipped?: true } | undefined)?.skipped ?? false).toBe(skipped);
  });
});

describe('switch', () => {
  const branch = (value: number, rest: object = {}) =>
    recipeOf({
      first: echo('one', { next: 'branch' }),
      branch: { action: 'switch', cases: [{ when: { path: '$.first.exitCode', operator: 'eq', value }, next: 'left' }], ...rest },
      left: echo('left'),
      right: echo('right'),
    });

  test('a switch continues with the first case that holds, or else with its default', async () => {
    expect((await runPlain(branch(0, { default: 'right' }))).ids).toEqual(['first', 'branch', 'left', 'done']);
    expect((await runPlain(branch(1, { default: 'right' }))).ids).toEqual(['first', 'branch', 'right', 'done']);
  });

  test('a switch without a default fails when no case holds', async () => {
    const { summary } = await runPlain(branch(1, {}));
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject', failed: 1 });
  });

  test('a loop fails after 100 visits, and the reason names the cycle', async () => {
    const always = { when: { operator: 'exists', source: 'tick' }, next: 'tick' };
    const { summary, trace } = await runPlain(
      recipeOf({ tick: echo('x', { next: 'again' }), again: { action: 'switch', cases: [always], default: 'done' } }),
    );
    expect(summary).toMatchObject({ status: 'fail' });
    expect(summary.reason).toContain('tick → again → tick');
    expect(trace.filter((entry) => entry.action === 'command')).toHaveLength(100);
    expect(trace.at(-1)?.nodeId).toBe('again#100');
  });
});

describe('call', () => {
  const flow = (postcondition?: object, rest: object = {}) => ({
    'shop.say': {
      ...{ version: 1, description: 'Says a word' },
      ...(postcondition ? { postcondition } : {}),
      workflow: {
        entry: 'say',
        nodes: { ...withIntents({ say: echo('{{params.word}}', { next: 'ok', ...rest }) }), ok: end('pass') },
      },
    },
  });
  const calling = (flows: object) =>
    recipeOf(
      {
        first: echo('one', { next: 'say' }),
        say: { action: 'call', ref: 'shop.say', params: { word: 'ahoy {{x}}' }, next: 'done' },
      },
      { flows, inputs: { x: '$(id)' } },
    );

  test('a call runs its flow with params, and its output has the outputs of the nodes inside', async () => {
    const { summary, trace, ids } = await runPlain(calling(flow({ path: '$.stdout', operator: 'eq', value: 'ahoy $(id)\n' })));
    expect(summary.status).toBe('pass');
    expect(ids).toEqual(['first', 'say/say', 'say/ok', 'say', 'done']);
    expect(trace[3]?.output).toMatchObject({ ref: 'shop.say', status: 'pass', outputs: { say: { stdout: 'ahoy $(id)\n' } } });
  });

  test('a postcondition compares with a param by its name', async () => {
    expect(
      (await runPlain(calling(flow({ path: '$.outputs.say.stdout', operator: 'contains', param: 'word' })))).summary.status,
    ).toBe('pass');
    const missing = await runPlain(calling(flow({ path: '$.outputs.say.stdout', operator: 'contains', param: 'wort' })));
    expect(missing.summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  });

  test('a call fails with the cause of the failed node inside', async () => {
    const { summary, trace } = await runPlain(calling(flow(undefined, { argv: ['false'] })));
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject', failed: 2 });
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['first', true],
      ['say/say', false],
      ['say', false],
    ]);
  });

  test('a call of a flow that ends with unknown does not pass', async () => {
    const flows = {
      'shop.say': { version: 1, description: 'Gives up', workflow: { entry: 'ok', nodes: { ok: end('unknown') } } },
    };
    expect((await runPlain(calling(flows))).summary).toMatchObject({ status: 'unknown', cause_class: 'unknown' });
  });
});

describe('life cycle', () => {
  const workflow = {
    setup: [{ action: 'command', intent: 'Write the first line', cmd: 'echo setup >> log' }],
    teardown: [
      { action: 'command', intent: 'Fail while cleaning up', cmd: 'echo down1 >> log; exit 3' },
      { action: 'command', intent: 'Clean up the rest', cmd: 'echo down2 >> log' },
    ],
  };

  test('setup runs first, every teardown node runs last, and a failed teardown node fails the run', async () => {
    const { summary, ids, read } = await runPlain(
      recipeOf({ first: { action: 'command', cmd: 'echo graph >> log', next: 'done' } }, { workflow }),
    );
    expect(ids).toEqual(['setup:0', 'first', 'done', 'teardown:0', 'teardown:1']);
    expect(read('log')).toBe('setup\ngraph\ndown1\ndown2\n');
    expect(summary).toMatchObject({ status: 'fail', failed: 1 });
  });

  test('teardown runs after a failure in the graph', async () => {
    const { read, summary } = await runPlain(recipeOf({ first: fail() }, { workflow }));
    expect(read('log')).toBe('setup\ndown1\ndown2\n');
    expect(summary.reason).toMatch(/^first: Command exited with 1/);
  });

  test('startState runs between setup and graph', async () => {
    const startState = { action: 'command', intent: 'Converge to the baseline', cmd: 'echo start >> log' };
    const { ids } = await runPlain(recipeOf({ first: echo('x') }, { startState, workflow: { setup: workflow.setup } }));
    expect(ids).toEqual(['setup:0', 'startState', 'first', 'done']);
  });
});

describe('outputs and assertions', () => {
  test('an assert on any node proves its claim, and a failed assert fails the node', async () => {
    const asserting = (value: string) =>
      recipeOf(
        { first: echo('one', { assert: { path: '$.stdout', operator: 'contains', value }, proofTarget: 'AC1' }) },
        { proofTargets: [{ id: 'AC1', claim: 'c' }] },
      );
    expect((await runPlain(asserting('one'))).summary).toMatchObject({ status: 'pass', proof: [{ status: 'proven', held: 1 }] });
    const { summary, trace } = await runPlain(asserting('two'));
    expect(summary).toMatchObject({ status: 'fail', proof: [{ status: 'refuted', failed: 1 }] });
    expect(trace[0]?.error).toContain('expected contains "two", received "one\\n"');
  });

  test('later nodes read an output by its save_as name', async () => {
    const when = { source: 'saved', path: '$.greeting.stdout', operator: 'contains', value: 'one' };
    const { trace } = await runPlain(
      recipeOf({ first: echo('one', { save_as: 'greeting', next: 'second' }), second: echo('two', { when }) }),
    );
    expect(trace[1]?.output).toMatchObject({ stdout: 'two\n' });
  });

  test('a recipe proves nothing when only a tolerated node or a teardown node can fail', async () => {
    const tolerated = await runPlain(recipeOf({ first: echo('x', { rw: { on_fail: 'continue' } }) }));
    expect(tolerated.summary).toMatchObject({ status: 'unknown', reason: expect.stringContaining('proves nothing') });
    const teardown = [{ action: 'command', intent: 'Clean up after nothing', cmd: 'true' }];
    const cleaned = await runPlain(
      recipeOf({ first: { action: 'switch', cases: [never], default: 'done' } }, { workflow: { teardown } }),
    );
    expect(cleaned.summary).toMatchObject({ status: 'unknown', reason: expect.stringContaining('proves nothing') });
  });
});
