// A node that reaches its timeout stops all nodes inside it, and no node inside it starts afterwards.
import { describe, expect, test } from 'vitest';
import { eventDrivenClock, eventDrivenMs, whenReady } from '../../support/eventDrivenClock.js';
import { recipeOf, runPlain, withIntents } from '../../support/plain.js';
import { appearance } from '../../support/processProbe.js';

const sleep = (ready: string, rest: object = {}) => ({ action: 'command', cmd: `touch ${ready}; sleep 3600`, ...rest });
const mark = (name: string, rest: object = {}) => ({ action: 'command', cmd: `echo ${name} >> log`, ...rest });
const group = (order: string, nodes: Record<string, Record<string, unknown>>, rest: object = {}) => ({
  action: 'rw.group',
  order,
  body: { nodes: withIntents(nodes) },
  ...rest,
});

describe('the timeout of a group', () => {
  test('a group stops its running child at its timeout, starts no further child, and fails with its own timeout', async () => {
    const { clock, ready } = whenReady();
    const inner = { a: mark('a'), b: sleep(ready), c: mark('c') };
    const nodes = { first: group('in_turn', inner, { timeout_ms: eventDrivenMs, next: 'done' }) };
    const { summary, trace, read } = await runPlain(recipeOf(nodes), {}, clock);
    expect(summary).toMatchObject({ status: 'fail' });
    expect(read('log')).toBe('a\n');
    expect(trace.map(({ nodeId, ok, cause_class }) => [nodeId, ok, cause_class])).toEqual([
      ['first/a', true, undefined],
      ['first/b', false, 'unknown'],
      ['first', false, 'subject'],
    ]);
    expect(trace[2]?.error).toContain(`did not finish within ${eventDrivenMs} ms`);
  });

  test('a child that the timeout of its group stopped is neither retried nor tolerated', async () => {
    const { clock, ready } = whenReady();
    const b = sleep(ready, { rw: { on_fail: 'continue', retry: { max: 3 } } });
    const nodes = { first: group('in_turn', { b, c: mark('c') }, { timeout_ms: eventDrivenMs, next: 'done' }) };
    const { ids, read } = await runPlain(recipeOf(nodes), {}, clock);
    expect(ids).toEqual(['first/b', 'first']);
    expect(read('log')).toBeUndefined();
  });

  test('a group with retry runs again as a whole after its timeout', async () => {
    const { ready } = whenReady();
    // The clock strikes only in the first attempt.
    let isFirst = true;
    const clock = eventDrivenClock(async () => {
      if (!isFirst) return new Promise(() => undefined);
      isFirst = false;
      return appearance(ready);
    });
    const inner = { a: { action: 'command', cmd: `if [ -e tried ]; then echo ok; else touch tried ${ready}; sleep 3600; fi` } };
    const nodes = { first: group('in_turn', inner, { timeout_ms: eventDrivenMs, rw: { retry: { max: 2 } }, next: 'done' }) };
    const { summary, trace } = await runPlain(recipeOf(nodes), {}, clock);
    expect(summary.status).toBe('pass');
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['first@1/a', true],
      ['first', true],
      ['done', true],
    ]);
    expect(trace[1]?.attempts).toMatchObject([{ nodeId: 'first', ok: false, entries: [{ nodeId: 'first/a', ok: false }] }]);
  });

  test('the timeout of a group stops parallel nodes in nested groups', async () => {
    const [one, other] = [whenReady().ready, whenReady().ready];
    const clock = eventDrivenClock(() => Promise.all([appearance(one), appearance(other)]));
    const inner = group('together', { a: sleep(one), b: sleep(other) });
    const nodes = { first: group('in_turn', { inner, after: mark('after') }, { timeout_ms: eventDrivenMs, next: 'done' }) };
    const { ids, summary } = await runPlain(recipeOf(nodes), {}, clock);
    expect(summary.status).toBe('fail');
    expect([...ids].sort()).toEqual(['first', 'first/inner', 'first/inner/a', 'first/inner/b']);
  });
});

test('a group with on_fail: continue tolerates failures inside it, but a failed claim still fails the run', async () => {
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

test('a failure with on_fail: abort ends the run and stops parallel nodes', async () => {
  const nodes = {
    first: group(
      'together',
      { a: sleep('begun'), b: { action: 'command', cmd: 'exit 3', rw: { on_fail: 'abort' } } },
      { next: 'second' },
    ),
    second: mark('second', { next: 'done' }),
  };
  const { summary, ids, read } = await runPlain(recipeOf(nodes));
  expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  expect(ids).toEqual(['first/b', 'first/a', 'first']);
  expect(read('log')).toBeUndefined();
});

test('teardown reads the outputs of the graph', async () => {
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
