// Regions in a run: limits on concurrency, the order of results, trace entries of all children, and the effect of failures.
import { describe, expect, test } from 'vitest';
import { RecipeError } from '../../../src/evidence/recipeError.js';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { type Nodes, recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

/** Counts how many nodes run at once. Earlier nodes take longer, so that they end in reverse order. */
function workshop() {
  const seen = { running: 0, maxRunning: 0, attempts: new Map<string, number>(), order: [] as string[] };
  const work = ownAction('shop.work', async ({ ms = 5, fails = 0, name }, { path }) => {
    const key = String(name ?? path.replace(/@\d+$/, ''));
    const attempt = (seen.attempts.get(key) ?? 0) + 1;
    seen.attempts.set(key, attempt);
    seen.order.push(path);
    seen.maxRunning = Math.max(seen.maxRunning, ++seen.running);
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    seen.running--;
    if (attempt <= Number(fails)) throw new RecipeError('shop.no', 'action', `attempt ${attempt} of ${key} failed`);
    return { output: { key, attempt } };
  });
  return { seen, setup: defineSetup({ actions: [work] }) };
}

const work = (rest: object = {}) => ({ action: 'shop.work', ...rest });
const region = (action: string, nodes: Nodes, rest: object = {}) => {
  const { edges, ...fields } = rest as { edges?: unknown };
  return { action, body: { nodes: withIntents(nodes), ...(edges ? { edges } : {}) }, next: 'done', ...fields };
};
const of = (count: number, rest: object = {}): Nodes =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, work({ ms: 10 * (count - index), ...rest })]));

async function run(nodes: Nodes, rest: Record<string, unknown> = {}) {
  const { seen, setup } = workshop();
  return { seen, ...(await runExtended(recipeOf(nodes, rest), { setup })) };
}

describe('rw.group', () => {
  test('rw.group together starts all children at once or up to its limit, and the trace has every child', async () => {
    const free = await run({ all: region('rw.group', of(6), { order: 'together' }) });
    expect(free.seen.maxRunning).toBe(6);
    const bounded = await run({ all: region('rw.group', of(6), { order: 'together', limit: 2 }) });
    expect(bounded.seen.maxRunning).toBe(2);
    expect([...bounded.ids].sort()).toEqual(['all', 'all/n0', 'all/n1', 'all/n2', 'all/n3', 'all/n4', 'all/n5', 'done']);
    const outputs = Object.fromEntries(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'].map((id) => [id, { key: `all/${id}`, attempt: 1 }]));
    expect(bounded.trace.at(-2)?.output).toEqual({ status: 'pass', outputs });
  });

  test('rw.group in turn runs one child at a time', async () => {
    const { seen } = await run({ all: region('rw.group', of(4), { order: 'in_turn' }) });
    const { maxRunning, order } = seen;
    expect({ maxRunning, order }).toEqual({ maxRunning: 1, order: ['all/n0', 'all/n1', 'all/n2', 'all/n3'] });
  });

  test('rw.group pipes the bytes of a node unchanged to the next node that is not skipped', async () => {
    const pipe = {
      a: { action: 'command', argv: ['printf', 'a\\000\\377z'] },
      b: { action: 'command', argv: ['cat'], when: { source: 'inputs', path: '$.x', operator: 'eq', value: 2 } },
      c: { action: 'command', argv: ['od', '-An', '-tx1'] },
    };
    const { trace } = await run({ p: region('rw.group', pipe, { order: 'in_turn', pipe: true }) }, { inputs: { x: 1 } });
    expect(trace.map(({ nodeId }) => nodeId)).toEqual(['p/a', 'p/b', 'p/c', 'p', 'done']);
    expect(trace[2]?.output).toMatchObject({ stdout: ' 61 00 ff 7a\n' });
  });

  test('rw.group starts no further child after a failure, and running children finish', async () => {
    const nodes = { a: work({ fails: 9 }), b: work({ ms: 60 }), c: work() };
    const { trace, summary } = await run({ all: region('rw.group', nodes, { order: 'together', limit: 2 }) });
    expect(trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['all/a', false],
      ['all/b', true],
      ['all', false],
    ]);
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject', failed: 2 });
  });
});

describe('rw.each', () => {
  const each = (rest: object, child: object = {}) =>
    region('rw.each', { one: { action: 'command', argv: ['cat'], rw: { in: { stdin: { source: 'item' } } }, ...child } }, rest);

  test('the results of rw.each have the order of the items, whichever item ends first', async () => {
    const shell = { argv: ['sh', '-c', 'read n; sleep 0.$n; echo $n'] };
    const { trace, summary } = await run({ all: each({ items: ['3\n', '1\n', '2\n'] }, shell) });
    expect(trace.find(({ nodeId }) => nodeId === 'all')?.output).toMatchObject({
      items: [{ stdout: '3\n' }, { stdout: '1\n' }, { stdout: '2\n' }],
    });
    expect(
      trace
        .map(({ nodeId }) => nodeId)
        .slice(0, 3)
        .sort(),
    ).toEqual(['all/one[0]', 'all/one[1]', 'all/one[2]']);
    expect(summary.status).toBe('pass');
  });

  test.for([1, 3, 7])('rw.each with a limit runs at most %i items at once', async (limit) => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    const { seen, ids } = await run({ all: region('rw.each', { one: work() }, { items, limit }) });
    expect(seen.maxRunning).toBe(limit);
    expect(ids).toHaveLength(22);
  });

  test('rw.each without items runs no node and proves nothing', async () => {
    const { ids, summary } = await run({ all: region('rw.each', { one: work() }, { items: [] }) });
    expect(ids).toEqual(['all', 'done']);
    expect(summary.status).toBe('unknown');
  });

  test('rw.each reads its items from an earlier node, and the nodes of an inner group read the item', async () => {
    const nodes = { a: { action: 'command', argv: ['cat'], rw: { in: { stdin: { source: 'item', path: '$.name' } } } } };
    const make = { action: 'state_read', source: 'inputs', path: '$.list', next: 'all' };
    const { next: _, ...group } = region('rw.group', nodes, { order: 'in_turn' });
    const all = region('rw.each', { one: group }, { rw: { in: { items: { source: 'make', path: '$.value' } } } });
    const { trace } = await run({ make, all }, { inputs: { list: [{ name: 'x' }, { name: 'y' }] } });
    const outputs = trace
      .filter(({ action }) => action === 'command')
      .map(({ nodeId, output }) => [nodeId, (output as { stdout: string }).stdout]);
    expect(outputs.sort()).toEqual([
      ['all/one[0]/a', 'x'],
      ['all/one[1]/a', 'y'],
    ]);
  });
});

describe('rw.dag', () => {
  test('rw.dag waits for parents, skips nodes without a fired edge, and the trace has the skipped nodes', async () => {
    const edges = [
      { from: 'a', to: 'b', when: { path: '$.a.attempt', operator: 'eq', value: 1 } },
      { from: 'a', to: 'c', when: { path: '$.a.attempt', operator: 'eq', value: 2 } },
      { from: 'b', to: 'd' },
      { from: 'c', to: 'd' },
    ];
    const nodes = { d: work(), c: work(), b: work(), a: work() };
    const { trace, summary } = await run({ g: region('rw.dag', nodes, { edges }) });
    expect(summary.status).toBe('pass');
    expect(trace.map(({ nodeId, output }) => [nodeId, (output as { skipped?: true })?.skipped ?? false])).toEqual([
      ['g/a', false],
      ['g/c', true],
      ['g/b', false],
      ['g/d', false],
      ['g', false],
      ['done', false],
    ]);
  });
});

describe('a failure', () => {
  test('a failed node is retried after its recovery, and one trace entry has all attempts', async () => {
    const recover = { action: 'shop.work', intent: 'Bring it back to life', name: 'doctor' };
    const { seen, trace, summary } = await run({ a: work({ fails: 2, rw: { retry: { max: 3, recover } }, next: 'done' }) });
    expect(seen.order).toEqual(['a', 'a/recover', 'a@1', 'a@1/recover', 'a@2']);
    expect(summary.status).toBe('pass');
    const entry = trace.find(({ nodeId }) => nodeId === 'a');
    expect(entry).toMatchObject({ ok: true, output: { attempt: 3 } });
    expect(entry?.attempts).toMatchObject([
      { nodeId: 'a', ok: false },
      { nodeId: 'a@1', ok: false },
    ]);
  });

  test('a node that fails in all attempts has the error of its last attempt', async () => {
    const { summary, seen } = await run({ a: work({ fails: 9, rw: { retry: { max: 3 } }, next: 'done' }) });
    expect(seen.order).toHaveLength(3);
    expect(summary).toMatchObject({ status: 'fail', reason: 'a: attempt 3 of a failed' });
  });

  test('a run continues after a tolerated failure, the trace has the error, and a tolerated node alone proves nothing', async () => {
    const nodes = { a: work({ fails: 9, rw: { on_fail: 'continue' }, next: 'b' }), b: work({ next: 'done' }) };
    const { trace, summary } = await run(nodes);
    expect(trace[0]).toMatchObject({ ok: true, tolerated: { error: 'attempt 1 of a failed', cause_class: 'subject' } });
    expect(summary).toMatchObject({ status: 'pass', failed: 0 });
    const alone = await run({ a: work({ fails: 9, rw: { on_fail: 'continue' }, next: 'done' }) });
    expect(alone.summary.status).toBe('unknown');
  });
});
