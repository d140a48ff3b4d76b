// Random recipes that run fast: they start no processes, but have every kind of region, retries, tolerance, branches and failures.
import fc from 'fast-check';
import { recipeOf, withIntents } from '../support/plain.js';

type Json = Record<string, unknown>;

const outcome = fc.constantFrom('ok', 'ok', 'ok', 'broken');
const rw = fc.record(
  { on_fail: fc.constantFrom('stop', 'continue', 'abort'), retry: fc.record({ max: fc.integer({ min: 1, max: 3 }) }) },
  { requiredKeys: [] },
);

const leaf: fc.Arbitrary<Json> = fc.record({ outcome, rw, claim: fc.boolean() }).map(({ outcome: kind, rw: options, claim }) => ({
  ...{ action: 'wait', duration_ms: 0, intent: 'Let a moment pass', rw: options },
  assert: { path: '$.durationMs', operator: kind === 'ok' ? 'eq' : 'gt', value: 0 },
  ...(claim ? { proofTarget: 'AC1' } : {}),
}));

const bodyOf = (child: fc.Arbitrary<Json>, most: number): fc.Arbitrary<Json> =>
  fc.array(child, { minLength: 1, maxLength: most }).map((list) => ({
    nodes: Object.fromEntries(list.map((node, index) => [`c${index}`, node])),
  }));

const group = (child: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.record({
    action: fc.constant('rw.group'),
    intent: fc.constant('Do several things'),
    order: fc.constantFrom('together', 'in_turn'),
    body: bodyOf(child, 3),
    rw,
  });

const each = (child: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.record({
    action: fc.constant('rw.each'),
    intent: fc.constant('Do it for each item'),
    items: fc.array(fc.nat(), { maxLength: 3 }),
    limit: fc.integer({ min: 1, max: 2 }),
    body: bodyOf(child, 1),
    rw,
  });

const node: fc.Arbitrary<Json> = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof({ maxDepth: 2, withCrossShrink: true }, leaf, group(tie('node')), each(tie('node'))),
})).node;

/** Recipes of several nodes in a row, optionally with a switch at the beginning, a call at the end and a teardown. */
export const randomRecipe: fc.Arbitrary<Json> = fc
  .record({
    row: fc.array(node, { minLength: 1, maxLength: 4 }),
    flow: leaf,
    jump: fc.boolean(),
    calls: fc.boolean(),
    claims: fc.boolean(),
    teardown: fc.array(leaf, { maxLength: 2 }),
  })
  .map(({ row, flow, jump, calls, claims, teardown }) => {
    const chained = row.map((entry, index) => [
      `n${index}`,
      { ...entry, next: index + 1 < row.length ? `n${index + 1}` : 'last' },
    ]);
    const first = jump ? { choose: { action: 'switch', cases: [{ when: always, next: 'last' }], default: 'n0' } } : {};
    const last = calls ? { action: 'call', ref: 'shop.wait', next: 'done' } : { action: 'wait', duration_ms: 0, next: 'done' };
    const nodes = { ...withIntents({ ask: { ...flow, next: 'done' } }), done: { action: 'end', status: 'pass' } };
    return recipeOf(
      { ...first, ...Object.fromEntries(chained), last },
      {
        ...(claims ? { proofTargets: [{ id: 'AC1', claim: 'Time passes.' }] } : {}),
        flows: { 'shop.wait': { description: 'Waits.', workflow: { entry: 'ask', nodes } } },
        workflow: { teardown },
      },
    );
  })
  .map((recipe) =>
    recipe.proofTargets ? recipe : (JSON.parse(JSON.stringify(recipe).replaceAll(',"proofTarget":"AC1"', '')) as Json),
  );

const always = { source: 'inputs', path: '$', operator: 'exists' };
