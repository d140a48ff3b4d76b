// Endless recipes: loops stop at their limits (F9), and endless calls are refused (F10).
import { describe, expect, test } from 'vitest';
import { type Nodes, recipeOf, withIntents } from '../support/plain.js';
import { runExtended } from '../support/runExtended.js';

const read = (next?: string) => ({ action: 'state_read', source: 'inputs', path: '$.x', ...(next ? { next } : {}) });
const always = (next: string) => ({ when: { source: 'inputs', path: '$.x', operator: 'eq', value: 1 }, next });
const again = (next: string) => ({ action: 'switch', cases: [always(next)], default: 'done' });
const inputs = { x: 1 };
const flowOf = (nodes: Nodes) => {
  const workflow = { entry: Object.keys(nodes)[0], nodes: { ...withIntents(nodes), done: { action: 'end', status: 'pass' } } };
  return { version: 1, description: 'Runs some nodes', workflow };
};

describe('F9 an endless loop', () => {
  const flow = flowOf({ a: read('b'), b: again('a') });
  const back = {
    action: 'rw.dag',
    next: 'done',
    body: {
      nodes: withIntents({ a: read(), b: read() }),
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a', when: always('').when },
      ],
    },
  };
  const forms = {
    'two nodes': recipeOf({ a: read('b'), b: again('a') }, { inputs }),
    'one node': recipeOf({ a: again('a') }, { inputs }),
    'three nodes': recipeOf({ a: read('b'), b: read('c'), c: again('a') }, { inputs }),
    'nodes of a flow': recipeOf(
      { call: { action: 'call', ref: 'shop.loop', next: 'done' } },
      { inputs, flows: { 'shop.loop': flow } },
    ),
    'nodes of an rw.dag': recipeOf({ g: back }, { inputs }),
  };

  test.for(Object.entries(forms))('an endless loop fails after exactly 100 visits: %s', async ([, recipe]) => {
    const { summary, ids, exitCode } = await runExtended(recipe);
    expect({ exitCode, status: summary.status, cause: summary.cause_class }).toEqual({
      exitCode: 1,
      status: 'fail',
      cause: 'subject',
    });
    expect(ids.filter((nodeId) => /^(\w+\/)?a(#\d+)?$/.test(nodeId))).toHaveLength(100);
  });

  test('the reason of a failed loop names the cycle', async () => {
    expect((await runExtended(forms['two nodes'])).summary.reason).toContain('100 times, the limit: a → b → a.');
    expect((await runExtended(forms['one node'])).summary.reason).toContain('100 times, the limit: a → a.');
    expect((await runExtended(forms['three nodes'])).summary.reason).toContain('100 times, the limit: a → b → c → a.');
  });

  test('an endless loop fails after exactly the allowed number of steps', async () => {
    const recipe = recipeOf({ a: read('b'), b: again('a') }, { inputs });
    for (const stepsPerRun of [1, 2, 7, 150]) {
      const { ids, summary } = await runExtended(recipe, { limits: { stepsPerRun } });
      expect([ids.length, summary.status]).toEqual([stepsPerRun, 'fail']);
    }
  });

  test('an endless loop without a limit of visits fails after exactly 10,000 steps', async () => {
    const recipe = recipeOf({ a: read('b'), b: again('a') }, { inputs });
    const { ids, summary } = await runExtended(recipe, { limits: { visitsPerNode: 1_000_000 } });
    expect([ids.length, summary.status]).toEqual([10_000, 'fail']);
    expect(summary.reason).toContain('10000');
  });

  test('a loop that ends within its limits passes', async () => {
    const nodes = {
      a: read('b'),
      b: { action: 'switch', cases: [{ when: { source: 'b', path: '$.case', operator: 'exists' }, next: 'done' }], default: 'a' },
    };
    expect((await runExtended(recipeOf(nodes, { inputs }))).ids).toEqual(['a', 'b', 'a#2', 'b#2', 'done']);
  });
});

describe('F10 flows that call each other', () => {
  const call = (ref: string) => ({ action: 'call', ref, next: 'done' });
  const chain = (...refs: string[]) =>
    Object.fromEntries(
      refs.map((ref, index) => [ref, flowOf({ go: index + 1 < refs.length ? call(refs[index + 1] ?? '') : read('done') })]),
    );
  const ring = (...refs: string[]) =>
    Object.fromEntries(refs.map((ref, index) => [ref, flowOf({ go: call(refs[(index + 1) % refs.length] ?? '') })]));
  const calling = (flows: object, ref = 'd.f1') => recipeOf({ first: read('go'), go: call(ref) }, { flows, inputs });

  test.for([['d.f1'], ['d.f1', 'd.f2'], ['d.f1', 'd.f2', 'd.f3']])(
    'flows that call each other in a cycle are refused, and no node runs: %j',
    async (refs) => {
      const { refused, exitCode, findings, everything } = await runExtended(calling(ring(...refs)));
      expect({ refused: new Set(refused), exitCode }).toEqual({ refused: new Set(['flow.call_cycle']), exitCode: 2 });
      expect(findings[0]?.message).toContain([...refs, refs[0]].join(' → '));
      expect(everything()).toBe('');
    },
  );

  test('a cycle of calls through a group, a recovery or teardown is refused', async () => {
    const group = {
      action: 'rw.group',
      order: 'in_turn',
      body: { nodes: withIntents({ in: { action: 'call', ref: 'd.f1' } }) },
      next: 'done',
    };
    const recover = { intent: 'Call it once again', action: 'call', ref: 'd.f1' };
    for (const node of [group, { ...read('done'), rw: { retry: { max: 2, recover } } }]) {
      const flows = { 'd.f1': flowOf({ go: node }) };
      expect((await runExtended(calling(flows))).refused).toContain('flow.call_cycle');
      const teardown = [{ intent: 'Clean up by the flow', action: 'call', ref: 'd.f1' }];
      expect((await runExtended(recipeOf({ a: read('done') }, { flows, inputs, workflow: { teardown } }))).refused).toContain(
        'flow.call_cycle',
      );
    }
  });

  test('calls that nest eight deep pass, and calls that nest nine deep are refused', async () => {
    const refs = Array.from({ length: 9 }, (_, index) => `d.f${index + 1}`);
    const { ids, summary } = await runExtended(calling(chain(...refs.slice(0, 8))));
    expect(summary.status).toBe('pass');
    expect(ids).toContain('go/go/go/go/go/go/go/go/go');
    const { refused, findings } = await runExtended(calling(chain(...refs)));
    expect(refused).toEqual(['flow.call_depth']);
    expect(findings[0]?.message).toContain(refs.join(' → '));
  });

  test('a recipe may call one flow several times, directly and through another flow', async () => {
    const flows = { 'd.f1': flowOf({ a: call('d.f2'), done2: read('done') }), 'd.f2': flowOf({ go: read('done') }) };
    const nodes = { one: { ...call('d.f1'), next: 'two' }, two: { ...call('d.f2'), next: 'three' }, three: call('d.f1') };
    expect((await runExtended(recipeOf(nodes, { flows, inputs }))).summary.status).toBe('pass');
  });
});
