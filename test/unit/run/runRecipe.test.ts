// What a run does with a recipe, through the plain host with real processes.
import { describe, expect, test } from 'vitest';
import { recipeOf, runPlain, withIntents } from '../../support/plain.js';

const echo = (text: string, rest: object = {}) => ({ action: 'command', argv: ['echo', text], next: 'done', ...rest });
const fail = (rest: object = {}) => ({ action: 'command', argv: ['false'], next: 'done', ...rest });
const end = (status: string) => ({ action: 'end', status });

/** A case of a switch that nothing meets. */
const never = { when: { source: 'saved', operator: 'eq', value: 'nothing' }, next: 'done' };

describe('gates', () => {
  const gated = (gate: object) => recipeOf({ first: echo('one', { next: 'second' }), second: echo('two', gate) });

  test.for([
    ['runs a node whose when holds', { when: { path: '$.first.exitCode', operator: 'eq', value: 0 } }, false],
    ['skips a node whose when does not hold', { when: { path: '$.first.exitCode', operator: 'eq', value: 1 } }, true],
    ['skips a node whose when reads what is missing', { when: { path: '$.first.nowhere', operator: 'neq', value: 1 } }, true],
    [
      'skips a node whose unless holds',
      { unless: { source: 'first', path: '$.stdout', operator: 'contains', value: 'one' } },
      true,
    ],
    [
      'runs a node whose unless does not hold',
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

  test('takes the first case that holds, else the default', async () => {
    expect((await runPlain(branch(0, { default: 'right' }))).ids).toEqual(['first', 'branch', 'left', 'done']);
    expect((await runPlain(branch(1, { default: 'right' }))).ids).toEqual(['first', 'branch', 'right', 'done']);
  });

  test('fails when nothing holds and there is no default', async () => {
    const { summary } = await runPlain(branch(1, {}));
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject', failed: 1 });
  });

  test('goes round at most a hundred times and then prints the circle', async () => {
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

  test('runs the flow with its params, names its nodes under it, and rolls up their outputs', async () => {
    const { summary, trace, ids } = await runPlain(calling(flow({ path: '$.stdout', operator: 'eq', value: 'ahoy $(id)\n' })));
    expect(summary.status).toBe('pass');
    expect(ids).toEqual(['first', 'say/say', 'say/ok', 'say', 'done']);
    expect(trace[3]?.output).toMatchObject({ ref: 'shop.say', status: 'pass', outputs: { say: { stdout: 'ahoy $(id)\n' } } });
  });

  test('compares with a param by its name', async () => {
    expect(
      (await runPlain(calling(flow({ path: '$.outputs.say.stdout', operator: 'contains', param: 'word' })))).summary.status,
    ).toBe('pass');
    const missing = await runPlain(calling(flow({ path: '$.outputs.say.stdout', operator: 'contains', param: 'wort' })));
    expect(missing.summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  });

  test('fails with the flow, and with the cause of the node inside', async () => {
    const { summary, trace } = await runPlain(calling(flow(undefined, { argv: ['false'] })));
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject', failed: 2 });
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['first', true],
      ['say/say', false],
      ['say', false],
    ]);
  });

  test('is not green when the flow ended without a verdict', async () => {
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

  test('runs setup first, every teardown last, and a failed teardown fails the run', async () => {
    const { summary, ids, read } = await runPlain(
      recipeOf({ first: { action: 'command', cmd: 'echo graph >> log', next: 'done' } }, { workflow }),
    );
    expect(ids).toEqual(['setup:0', 'first', 'done', 'teardown:0', 'teardown:1']);
    expect(read('log')).toBe('setup\ngraph\ndown1\ndown2\n');
    expect(summary).toMatchObject({ status: 'fail', failed: 1 });
  });

  test('tears down after a failure', async () => {
    const { read, summary } = await runPlain(recipeOf({ first: fail() }, { workflow }));
    expect(read('log')).toBe('setup\ndown1\ndown2\n');
    expect(summary.reason).toMatch(/^first: Command exited with 1/);
  });

  test('runs startState between setup and graph', async () => {
    const startState = { action: 'command', intent: 'Converge to the baseline', cmd: 'echo start >> log' };
    const { ids } = await runPlain(recipeOf({ first: echo('x') }, { startState, workflow: { setup: workflow.setup } }));
    expect(ids).toEqual(['setup:0', 'startState', 'first', 'done']);
  });
});

describe('outputs and assertions', () => {
  test('an inline assert on any node counts, and a failing one fails it', async () => {
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

  test('save_as keeps an output under a name of its own', async () => {
    const when = { source: 'saved', path: '$.greeting.stdout', operator: 'contains', value: 'one' };
    const { trace } = await runPlain(
      recipeOf({ first: echo('one', { save_as: 'greeting', next: 'second' }), second: echo('two', { when }) }),
    );
    expect(trace[1]?.output).toMatchObject({ stdout: 'two\n' });
  });

  test('a smoke recipe whose only test is tolerated, or a teardown, proves nothing', async () => {
    const tolerated = await runPlain(recipeOf({ first: echo('x', { rw: { on_fail: 'continue' } }) }));
    expect(tolerated.summary).toMatchObject({ status: 'unknown', reason: expect.stringContaining('proves nothing') });
    const teardown = [{ action: 'command', intent: 'Clean up after nothing', cmd: 'true' }];
    const cleaned = await runPlain(
      recipeOf({ first: { action: 'switch', cases: [never], default: 'done' } }, { workflow: { teardown } }),
    );
    expect(cleaned.summary).toMatchObject({ status: 'unknown', reason: expect.stringContaining('proves nothing') });
  });
});
