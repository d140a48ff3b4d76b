// A node whose time is over stops with everything inside it; nothing in there starts afterwards.
import { describe, expect, test } from 'vitest';
import { recipeOf, runPlain, withIntents } from '../../support/plain.js';

const sleep = (rest: object = {}) => ({ action: 'command', cmd: 'sleep 20', ...rest });
const mark = (name: string, rest: object = {}) => ({ action: 'command', cmd: `echo ${name} >> log`, ...rest });
const group = (order: string, nodes: Record<string, Record<string, unknown>>, rest: object = {}) => ({
  action: 'rw.group',
  order,
  body: { nodes: withIntents(nodes) },
  ...rest,
});

describe('a group past its timeout', () => {
  test('stops the child in flight, starts none after it, and fails with its own deadline', async () => {
    const nodes = { first: group('in_turn', { a: mark('a'), b: sleep(), c: mark('c') }, { timeout_ms: 3_000, next: 'done' }) };
    const started = performance.now();
    const { summary, trace, read } = await runPlain(recipeOf(nodes));
    expect(performance.now() - started).toBeLessThan(12_000);
    expect(summary).toMatchObject({ status: 'fail' });
    expect(read('log')).toBe('a\n');
    expect(trace.map(({ nodeId, ok, cause_class }) => [nodeId, ok, cause_class])).toEqual([
      ['first/a', true, undefined],
      ['first/b', false, 'unknown'],
      ['first', false, 'subject'],
    ]);
    expect(trace[2]?.error).toContain('did not finish within 3000 ms');
  });

  test('neither tries a stopped child again nor tolerates its end', async () => {
    const b = sleep({ rw: { on_fail: 'continue', retry: { max: 3 } } });
    const { ids, read } = await runPlain(
      recipeOf({ first: group('in_turn', { b, c: mark('c') }, { timeout_ms: 2_000, next: 'done' }) }),
    );
    expect(ids).toEqual(['first/b', 'first']);
    expect(read('log')).toBeUndefined();
  });

  test('is tried again as a whole when it may be', async () => {
    const inner = { a: { action: 'command', cmd: 'if [ -e tried ]; then echo ok; else touch tried; sleep 20; fi' } };
    const { summary, trace } = await runPlain(
      recipeOf({ first: group('in_turn', inner, { timeout_ms: 3_000, rw: { retry: { max: 2 } }, next: 'done' }) }),
    );
    expect(summary.status).toBe('pass');
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['first@1/a', true],
      ['first', true],
      ['done', true],
    ]);
    expect(trace[1]?.attempts).toMatchObject([{ nodeId: 'first', ok: false, entries: [{ nodeId: 'first/a', ok: false }] }]);
  });

  test('reaches through nested groups to what runs side by side', async () => {
    const inner = group('together', { a: sleep(), b: sleep() });
    const { ids, summary } = await runPlain(
      recipeOf({ first: group('in_turn', { inner, after: mark('after') }, { timeout_ms: 2_000, next: 'done' }) }),
    );
    expect(summary.status).toBe('fail');
    expect([...ids].sort()).toEqual(['first', 'first/inner', 'first/inner/a', 'first/inner/b']);
  });
});

test('a tolerated group tolerates what failed inside it, but no claim', async () => {
  const inside = (rest: object) =>
    group(
      'in_turn',
      { a: { action: 'command', cmd: 'exit 3', ...rest }, b: mark('b') },
      { rw: { on_fail: 'continue' }, next: 'second' },
    );
  const second = { action: 'command', cmd: 'true', next: 'done' };
  const { summary, trace, read } = await runPlain(recipeOf({ first: inside({}), second }));
  expect(summary).toMatchObject({ status: 'pass', failed: 0 });
  expect(trace[0]).toMatchObject({ nodeId: 'first/a', ok: true, tolerated: { cause_class: 'subject' } });
  expect(trace[1]).toMatchObject({ nodeId: 'first', ok: true, tolerated: { cause_class: 'subject' } });
  expect(read('log')).toBeUndefined();
  const assert = { path: '$.exitCode', operator: 'eq', value: 0 };
  const claimed = recipeOf(
    { first: inside({ allow_failure: true, assert, proofTarget: 'AC1' }), second },
    { proofTargets: [{ id: 'AC1', claim: 'c' }] },
  );
  expect((await runPlain(claimed)).summary).toMatchObject({ status: 'fail', proof: [{ status: 'refuted' }] });
});

test('an abort ends the whole run and stops what is in flight beside it', async () => {
  const nodes = {
    first: group(
      'together',
      { a: sleep(), b: { action: 'command', cmd: 'exit 3', rw: { on_fail: 'abort' } } },
      { next: 'second' },
    ),
    second: mark('second', { next: 'done' }),
  };
  const { summary, ids, read } = await runPlain(recipeOf(nodes));
  expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  expect(ids).toEqual(['first/b', 'first/a', 'first']);
  expect(read('log')).toBeUndefined();
});

test('teardown reads what the graph left', async () => {
  const teardown = [
    {
      action: 'command',
      intent: 'Clean up what was made',
      argv: ['tee', 'left'],
      rw: { in: { stdin: { source: 'first', path: '$.stdout' } } },
    },
  ];
  const { read, summary } = await runPlain(
    recipeOf({ first: { action: 'command', cmd: 'echo order-7', next: 'done' } }, { workflow: { teardown } }),
  );
  expect(summary.status).toBe('pass');
  expect(read('left')).toBe('order-7\n');
});
