import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipeOf } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const command = (cmd: string, rest: object = {}) => ({ action: 'command', cmd, next: 'done', ...rest });

describe('custom actions', () => {
  const one = (run: Parameters<typeof ownAction>[1]) => defineSetup({ actions: [ownAction('shop.act', run)] });
  const act = (rest: object = {}) => ({ action: 'shop.act', next: 'done', ...rest });

  test('A1 a custom action cannot change the output of an earlier node', async () => {
    const nodes = {
      z: { action: 'state_read', source: 'inputs', path: '$.x', next: 'a' },
      a: act({ next: 'b', rw: { on_fail: 'continue' } }),
      b: { action: 'state_read', source: 'z', path: '$.value.v', next: 'done' },
    };
    const setup = one((_, { outputOf }) => {
      const found = outputOf('z') as unknown as { value: { value: { v: number } } };
      found.value.value.v = 99;
      return {};
    });
    const { trace } = await runExtended(recipeOf(nodes, { inputs: { x: { v: 1 } } }), { setup });
    expect(trace[2]?.output).toMatchObject({ value: 1 });
  });

  test('A2 a custom action cannot change the inputs', async () => {
    const nodes = {
      a: act({ next: 'b', rw: { on_fail: 'continue' } }),
      b: { action: 'state_read', source: 'inputs', path: '$.x', next: 'done' },
    };
    const setup = one((_, { inputs }) => {
      (inputs.x as { v: number }).v = 99;
      return {};
    });
    const { trace } = await runExtended(recipeOf(nodes, { inputs: { x: { v: 1 } } }), { setup });
    expect(trace[1]?.output).toMatchObject({ value: { v: 1 } });
  });

  test('A3 a custom action that blocks the event loop past its deadline fails', async () => {
    const setup = one(() => {
      const until = performance.now() + 400;
      while (performance.now() < until);
      return { output: {} };
    });
    expect((await runExtended(recipeOf({ a: act({ timeout_ms: 100 }) }), { setup })).summary.status).toBe('fail');
  });

  test('A3 a custom action that returns nothing after its deadline fails with a timeout', async () => {
    const setup = one(async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return undefined as unknown as object;
    });
    const { summary } = await runExtended(recipeOf({ a: act({ timeout_ms: 100 }) }), { setup });
    expect(summary).toMatchObject({ status: 'fail', reason: expect.stringContaining('did not finish within 100 ms') });
  });

  test('A4 the reason of a failed run is the error that a custom action returned', async () => {
    const { summary } = await runExtended(recipeOf({ a: act() }), {
      setup: one(() => ({ failure: new Error('plain') as never })),
    });
    expect(summary.reason).toBe('a: Error: plain');
  });

  test('A8 the context of a custom action does not expose the job, the scheduler or the execution of the node', async () => {
    let seen: unknown[] = [];
    const setup = one((_, context) => {
      seen = ['job', 'scheduler', 'execution', 'parts'].map((key) => (context as unknown as Record<string, unknown>)[key]);
      return {};
    });
    await runExtended(recipeOf({ a: act() }), { setup });
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('A6 a custom action that returns a string is a fault of the harness', async () => {
    expect((await runExtended(recipeOf({ a: act() }), { setup: one(() => 'done' as never) })).exitCode).toBe(4);
  });

  test('A7 a custom action with the name of an official action is refused', async () => {
    const setup = defineSetup({ actions: [ownAction('ui.press', () => ({ output: {} }))] });
    expect((await runExtended(recipeOf({ a: { action: 'ui.press', text: 'Buy', next: 'done' } }), { setup })).exitCode).toBe(2);
  });
});

describe('secrets', () => {
  const inputs = { pw: { type: 'secret-ref', ref: 'env:PW' }, name: 'x' };
  const env = { ...process.env, PW: 'Kiwi-Harbour-2231' };

  test('C1 a secret is masked in the source and path of an assertion and in the source of an issue', async () => {
    const leak = ownAction(
      'shop.leak',
      ({ secret }) => ({
        output: {},
        issues: [{ level: 'warning', source: String(secret), message: 'x' }],
        asserts: [{ operator: 'eq', path: String(secret), source: String(secret), held: true }],
      }),
      { secretFields: ['secret'] },
    );
    const { everything } = await runExtended(
      recipeOf({ a: { action: 'shop.leak', secret: '{{pw}}', next: 'done' } }, { inputs }),
      { env, setup: defineSetup({ actions: [leak] }) },
    );
    expect(everything()).not.toContain('Kiwi-Harbour');
  });

  test('C2 a secret is masked in the progress lines when another input has the same value', async () => {
    const lines: string[] = [];
    await runExtended(recipeOf({ a: command('true', { intent: 'Greet {{name}} at the door' }) }, { inputs }), {
      env,
      inputs: { name: 'Kiwi-Harbour-2231' },
      progress: (line) => lines.push(line),
    });
    expect(lines.join()).not.toContain('Kiwi-Harbour');
  });

  test('C3 a secret in plain text from a program or a RECIPE_INPUT_ variable is refused', async () => {
    const recipe = recipeOf({ a: command('true', { env: { P: '{{pw}}' } }) }, { inputs });
    expect((await runExtended(recipe, { env, inputs: { pw: 'Other-Harbour-1' } })).refused).toEqual(['inputs.secret_given']);
    expect((await runExtended(recipe, { env: { ...env, RECIPE_INPUT_PW: 'Other-Harbour-1' } })).refused).toEqual([
      'inputs.secret_given',
    ]);
  });
});

describe('inputs', () => {
  test('I1 a number becomes a string in argv and env', async () => {
    const node = { action: 'command', argv: ['sh', '-c', 'echo $0 $P', '{{port}}'], env: { P: '{{port}}' }, next: 'done' };
    const { trace } = await runExtended(recipeOf({ a: node }, { inputs: { port: 80 } }));
    expect(trace[0]?.output).toMatchObject({ stdout: '80 80\n' });
  });

  test('I2 an input that is not JSON is refused', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const recipe = recipeOf({ a: command('true') }, { inputs: { n: 1, j: { type: 'json', required: false } } });
    for (const inputs of [{ n: Number.NaN }, { n: Number.POSITIVE_INFINITY }, { j: circle }, { j: () => 1 }, { j: 1n }])
      expect((await runExtended(recipe, { inputs })).refused).toEqual(['inputs.invalid_value']);
    expect((await runExtended(recipe, { inputTexts: new Map([['n', '1e400']]) })).refused).toEqual(['inputs.invalid_value']);
  });
});
