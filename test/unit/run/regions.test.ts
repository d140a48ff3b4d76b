// Regions in a run: bounded concurrency, results in order, every child on record, and what a failure does to its neighbours.
import { describe, expect, test } from 'vitest';
import { RecipeError } from '../../../src/evidence/recipeError.js';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { type Nodes, recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

/** Counts how many are at work at once; earlier items take longer, so that they end in the reverse order. */
function workshop() {
  const seen = { now: 0, most: 0, tries: new Map<string, number>(), order: [] as string[] };
  const work = ownAction('shop.work', async ({ ms = 5, fails = 0, name }, { path }) => {
    const key = String(name ?? path.replace(/@\d+$/, ''));
    const tried = (seen.tries.get(key) ?? 0) + 1;
    seen.tries.set(key, tried);
    seen.order.push(path);
    seen.most = Math.max(seen.most, ++seen.now);
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    seen.now--;
    if (tried <= Number(fails)) throw new RecipeError('shop.no', 'action', `try ${tried} of ${key} failed`);
    return { output: { key, tried } };
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
  test('together starts all at once or at most its limit, and has all children on record', async () => {
    const free = await run({ all: region('rw.group', of(6), { order: 'together' }) });
    expect(free.seen.most).toBe(6);
    const bounded = await run({ all: region('rw.group', of(6), { order: 'together', limit: 2 }) });
    expect(bounded.seen.most).toBe(2);
    expect([...bounded.ids].sort()).toEqual(['all', 'all/n0', 'all/n1', 'all/n2', 'all/n3', 'all/n4', 'all/n5', 'done']);
    const given = Object.fromEntries(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'].map((id) => [id, { key: `all/${id}`, tried: 1 }]));
    expect(bounded.trace.at(-2)?.output).toEqual({ status: 'pass', outputs: given });
  });

  test('in turn never has two at work', async () => {
    const { seen } = await run({ all: region('rw.group', of(4), { order: 'in_turn' }) });
    expect({ most: seen.most, order: seen.order }).toEqual({ most: 1, order: ['all/n0', 'all/n1', 'all/n2', 'all/n3'] });
  });

  test('pipes bytes exactly from one to the next, past a node that is skipped', async () => {
    const pipe = {
      a: { action: 'command', argv: ['printf', 'a\\000\\377z'] },
      b: { action: 'command', argv: ['cat'], when: { source: 'inputs', path: '$.x', operator: 'eq', value: 2 } },
      c: { action: 'command', argv: ['od', '-An', '-tx1'] },
    };
    const { trace } = await run({ p: region('rw.group', pipe, { order: 'in_turn', pipe: true }) }, { inputs: { x: 1 } });
    expect(trace.map(({ nodeId }) => nodeId)).toEqual(['p/a', 'p/b', 'p/c', 'p', 'done']);
    expect(trace[2]?.output).toMatchObject({ stdout: ' 61 00 ff 7a\n' });
  });

  test('starts nothing more once a child failed; what is in flight goes on', async () => {
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

  test('gives the results in the order of the items, whichever ended first', async () => {
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

  test.for([1, 3, 7])('has at most %i at work', async (limit) => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    const { seen, ids } = await run({ all: region('rw.each', { one: work() }, { items, limit }) });
    expect(seen.most).toBe(limit);
    expect(ids).toHaveLength(22);
  });

  test('over nothing runs nothing and proves nothing', async () => {
    const { ids, summary } = await run({ all: region('rw.each', { one: work() }, { items: [] }) });
    expect(ids).toEqual(['all', 'done']);
    expect(summary.status).toBe('unknown');
  });

  test('takes its items from a former node, and a group for each of them reads the item', async () => {
    const nodes = { a: { action: 'command', argv: ['cat'], rw: { in: { stdin: { source: 'item', path: '$.name' } } } } };
    const make = { action: 'state_read', source: 'inputs', path: '$.list', next: 'all' };
    const { next: _, ...group } = region('rw.group', nodes, { order: 'in_turn' });
    const all = region('rw.each', { one: group }, { rw: { in: { items: { source: 'make', path: '$.value' } } } });
    const { trace } = await run({ make, all }, { inputs: { list: [{ name: 'x' }, { name: 'y' }] } });
    const said = trace
      .filter(({ action }) => action === 'command')
      .map(({ nodeId, output }) => [nodeId, (output as { stdout: string }).stdout]);
    expect(said.sort()).toEqual([
      ['all/one[0]/a', 'x'],
      ['all/one[1]/a', 'y'],
    ]);
  });
});

describe('rw.dag', () => {
  test('waits for parents, skips what no edge fires for, and has that on record', async () => {
    const edges = [
      { from: 'a', to: 'b', when: { path: '$.a.tried', operator: 'eq', value: 1 } },
      { from: 'a', to: 'c', when: { path: '$.a.tried', operator: 'eq', value: 2 } },
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
  test('is tried again with a recovery in between, all of it on record in one entry', async () => {
    const recover = { action: 'shop.work', intent: 'Bring it back to life', name: 'doctor' };
    const { seen, trace, summary } = await run({ a: work({ fails: 2, rw: { retry: { max: 3, recover } }, next: 'done' }) });
    expect(seen.order).toEqual(['a', 'a/recover', 'a@1', 'a@1/recover', 'a@2']);
    expect(summary.status).toBe('pass');
    const entry = trace.find(({ nodeId }) => nodeId === 'a');
    expect(entry).toMatchObject({ ok: true, output: { tried: 3 } });
    expect(entry?.attempts).toMatchObject([
      { nodeId: 'a', ok: false },
      { nodeId: 'a@1', ok: false },
    ]);
  });

  test('that stays is the failure of the last try', async () => {
    const { summary, seen } = await run({ a: work({ fails: 9, rw: { retry: { max: 3 } }, next: 'done' }) });
    expect(seen.order).toHaveLength(3);
    expect(summary).toMatchObject({ status: 'fail', reason: 'a: try 3 of a failed' });
  });

  test('that is tolerated goes on, is named in the trace, and is no proof that something was tested', async () => {
    const nodes = { a: work({ fails: 9, rw: { on_fail: 'continue' }, next: 'b' }), b: work({ next: 'done' }) };
    const { trace, summary } = await run(nodes);
    expect(trace[0]).toMatchObject({ ok: true, tolerated: { error: 'try 1 of a failed', cause_class: 'subject' } });
    expect(summary).toMatchObject({ status: 'pass', failed: 0 });
    const alone = await run({ a: work({ fails: 9, rw: { on_fail: 'continue' }, next: 'done' }) });
    expect(alone.summary.status).toBe('unknown');
  });
});
