// Preconditions are checked first, in their order, and a precondition holds only when its check returns true (spec §5, §9).
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RecipeError } from '../../../src/evidence/recipeError.js';
import {
  type CheckContext,
  definePrecondition,
  defineSetup,
  type GateAnswer,
  type Precondition,
} from '../../../src/registry/setup.js';
import { recipeOf } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const note = (word: string) => ({ action: 'command', intent: `Write down the word ${word}`, cmd: `echo ${word} >> log` });
const gated = (...gates: unknown[]) =>
  recipeOf(
    { first: { ...note('graph'), next: 'done' } },
    {
      inputs: { shop: 'north', size: 5 },
      startState: note('start'),
      workflow: { pre_conditions: gates, setup: [note('setup')], teardown: [note('teardown')] },
    },
  );

type Check = (params: Record<string, unknown>, context: CheckContext) => GateAnswer | Promise<GateAnswer>;
const gate = (id: string, check: Check, rest: Partial<Precondition> = {}) =>
  definePrecondition({
    id,
    description: `The gate ${id} is open`,
    ...rest,
    check: (params, context) => check(params as never, context),
  });
const open = gate('shop.open', () => true);

describe('preconditions that hold', () => {
  test('preconditions are checked in their order before setup, start state and graph, each with its own trace entry', async () => {
    const checked: string[] = [];
    const setup = defineSetup({
      preconditions: ['b', 'a'].map((name) =>
        gate(`shop.${name}`, async () => {
          checked.push(name);
          return { ok: true, output: { name } };
        }),
      ),
    });
    const { ids, trace, read, exitCode } = await runExtended(gated('shop.a', { id: 'shop.b' }), { setup });
    expect({ exitCode, checked }).toEqual({ exitCode: 0, checked: ['a', 'b'] });
    expect(ids.slice(0, 4)).toEqual(['pre_conditions:shop.a', 'pre_conditions:shop.b', 'setup:0', 'startState']);
    expect(trace[0]).toMatchObject({ action: 'pre_condition', phase: 'setup', output: { ok: true, seen: { name: 'a' } } });
    expect(read('log')).toBe('setup\nstart\ngraph\nteardown\n');
  });

  test('the check of a precondition receives its expanded params, the inputs, and only the fixtures that it needs', async () => {
    let seen: unknown;
    const setup = defineSetup({
      preconditions: [
        gate('shop.open', (params, { inputs, fixtures, projectRoot, signal, ...rest }) => {
          seen = { params, inputs: { ...inputs }, fixtures, rest, aborted: signal.aborted, rooted: projectRoot.length > 0 };
          return true;
        }),
      ],
    });
    await runExtended(gated({ id: 'shop.open', params: { size: '{{inputs.size}}' } }), { setup });
    const inputs = { shop: 'north', size: 5 };
    expect(seen).toEqual({ params: { size: 5 }, inputs, fixtures: {}, rest: {}, aborted: false, rooted: true });
  });

  test('a recipe may have the same precondition twice, and preconditions alone prove nothing', async () => {
    const waits = { first: { action: 'wait', duration_ms: 0, next: 'done' } };
    const recipe = recipeOf(waits, { workflow: { pre_conditions: ['shop.open', 'shop.open'] } });
    const { ids, summary } = await runExtended(recipe, { setup: defineSetup({ preconditions: [open] }) });
    expect(ids).toEqual(['pre_conditions:shop.open', 'pre_conditions:shop.open#2', 'first', 'done']);
    expect(summary).toMatchObject({ status: 'unknown', reason: expect.stringContaining('proves nothing') });
  });
});

describe('a precondition that does not hold', () => {
  const closed: readonly (readonly [string, Check])[] = [
    ['false', () => false],
    ['nothing', () => undefined as never],
    ['null', () => null as never],
    ['a string', () => 'yes' as never],
    ['the number one', () => 1 as never],
    ['an ok that is not true', () => ({ ok: 'true' as never })],
    ['an object without ok', () => ({}) as never],
  ];
  test.for(closed)('no node runs, not even teardown, when a precondition returns %s', async ([, check]) => {
    const setup = defineSetup({ preconditions: [gate('shop.open', check)] });
    const { ids, summary, exitCode, read } = await runExtended(gated('shop.open'), { setup });
    expect(ids).toEqual(['pre_conditions:shop.open']);
    expect({ exitCode, log: read('log') }).toEqual({ exitCode: 3, log: undefined });
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'environment', failed: 1 });
    expect(summary.reason).toContain('The gate shop.open is open');
  });

  test.for([
    ['product', 1, 'subject'],
    ['assertion', 1, 'subject'],
    ['setup', 3, 'environment'],
    ['fixture', 3, 'environment'],
    ['unknown', 3, 'environment'],
  ] as const)('a failed precondition of the kind %s exits with %i', async ([failureKind, code, cause]) => {
    const setup = defineSetup({ preconditions: [gate('shop.open', () => ({ ok: false, error: 'closed' }), { failureKind })] });
    const { summary, exitCode, trace } = await runExtended(gated('shop.open'), { setup });
    expect({ exitCode, status: summary.status, cause: summary.cause_class }).toEqual({ exitCode: code, status: 'fail', cause });
    expect(trace[0]).toMatchObject({
      ok: false,
      output: { failure_kind: failureKind },
      error: expect.stringContaining('closed'),
    });
  });

  test('preconditions after a failed one are not checked', async () => {
    let checks = 0;
    const second = gate('shop.b', () => {
      checks++;
      return true;
    });
    const setup = defineSetup({ preconditions: [gate('shop.a', () => false), second] });
    expect((await runExtended(gated('shop.a', 'shop.b'), { setup })).ids).toEqual(['pre_conditions:shop.a']);
    expect(checks).toBe(0);
  });

  test('a failed precondition with required: false is in the trace and does not stop the run', async () => {
    const setup = defineSetup({ preconditions: [gate('shop.open', () => false)] });
    const { trace, summary, read } = await runExtended(gated({ id: 'shop.open', required: false }), { setup });
    expect(trace[0]).toMatchObject({ ok: true, tolerated: { cause_class: 'environment' } });
    expect(summary.status).toBe('pass');
    expect(read('log')).toContain('graph');
  });
});

describe('a precondition that cannot be checked', () => {
  test('a precondition that throws is a fault of the harness, and no node runs', async () => {
    const throws = gate('shop.open', () => {
      throw new TypeError('no such table');
    });
    const { summary, exitCode, read } = await runExtended(gated('shop.open'), {
      setup: defineSetup({ preconditions: [throws] }),
    });
    expect({ exitCode, log: read('log') }).toEqual({ exitCode: 4, log: undefined });
    expect(summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
    expect(summary.reason).toContain('no such table');
  });

  test('a precondition that throws a RecipeError sets the cause of the failure', async () => {
    const throws = gate('shop.open', () => {
      throw new RecipeError('shop.down', 'environment', 'The database is down.');
    });
    const { exitCode } = await runExtended(gated('shop.open'), { setup: defineSetup({ preconditions: [throws] }) });
    expect(exitCode).toBe(3);
  });

  test('a precondition with invalid params fails, and the reason names the param', async () => {
    const picky = gate('shop.open', () => true, { params: z.strictObject({ size: z.number() }) });
    const { summary, exitCode } = await runExtended(gated({ id: 'shop.open', params: { size: 'big' } }), {
      setup: defineSetup({ preconditions: [picky] }),
    });
    expect(exitCode).toBe(3);
    expect(summary.reason).toMatch(/precondition shop.open are invalid: size/);
  });

  test('an undeclared precondition is refused before the run, even with required: false', async () => {
    for (const declared of ['shop.opne', { id: 'shop.opne', required: false }]) {
      const { refused, exitCode, findings, read } = await runExtended(gated(declared), {
        setup: defineSetup({ preconditions: [open] }),
      });
      expect({ refused, exitCode }).toEqual({ refused: ['recipe.precondition_not_declared_by_manifest'], exitCode: 2 });
      expect(findings[0]).toMatchObject({
        path: expect.stringContaining('/pre_conditions/0'),
        hint: expect.stringContaining('shop.open'),
      });
      expect(read('log')).toBeUndefined();
    }
  });

  test('a setup with two preconditions of the same name is refused', async () => {
    const { findings, exitCode } = await runExtended(gated('shop.open'), { setup: defineSetup({ preconditions: [open, open] }) });
    expect(exitCode).toBe(2);
    expect(findings[0]?.message).toContain('"shop.open" twice');
  });
});
