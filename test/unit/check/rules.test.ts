// Edge cases of the rules: what they must report, and what they must not.
import { describe, expect, test } from 'vitest';
import { checkDocument } from '../../../src/check/checkFile.js';
import type { Finding } from '../../../src/document/finding.js';
import { readDocument } from '../../../src/document/readDocument.js';
import { cpuMs } from '../../support/cpuMs.js';
import { declared } from '../../support/goodDocuments.js';
import { end, type Nodes, type Rest, recipe, say } from '../../support/recipe.js';

function findingsOf(nodes: Nodes, rest: Rest = {}, options: object = {}): readonly Finding[] {
  const bytes = Buffer.from(JSON.stringify(recipe(nodes, rest)));
  return checkDocument(readDocument('a.recipe.json', bytes), { ...declared, ...options }).findings;
}

function codes(...args: Parameters<typeof findingsOf>): string[] {
  return findingsOf(...args).map(({ code }) => code);
}

const secret = { pw: { type: 'secret-ref', ref: 'env:PW' } };
const asserts = (assert: object): Nodes => ({ a: say('x', { assert }) });
const flow = (nodes: Nodes, more: object = {}) => ({
  ...more,
  workflow: (recipe(nodes) as { validate: { workflow: object } }).validate.workflow,
});

describe('a secret', () => {
  test.for<[string, Nodes]>([
    ['compared as a source', asserts({ source: 'inputs', path: '$.pw', operator: 'eq', value: 'x' })],
    ['compared as a param', asserts({ path: '$.stdout', operator: 'contains', param: 'pw' })],
    ['in a gate', { a: say('x', { when: { path: '$.inputs.pw', operator: 'exists' } }) }],
    ['read by state_read', { a: { action: 'state_read', source: 'inputs', path: '$.pw' } }],
    ['bound to a field', { a: { action: 'ui.press', rw: { in: { text: { source: 'inputs', path: '$.pw' } } } } }],
    ['bound with all inputs', { a: { action: 'ui.press', rw: { in: { text: { source: 'inputs' } } } } }],
  ])('a secret %s is misplaced', ([, nodes]) => {
    expect(codes(nodes, { inputs: secret })).toContain('inputs.secret_misplaced');
  });

  test('a secret inside a literal is refused', () => {
    expect(codes({ a: say('x') }, { inputs: { cfg: { db: secret.pw } } })).toEqual(['inputs.invalid_secret_ref']);
  });
});

describe('an assertion', () => {
  test.for<[string, object]>([
    ['is neq with an object', { path: '$.stdout', operator: 'neq', value: {} }],
    ['is exists over the whole output', { operator: 'exists' }],
    ['is empty', {}],
    ['has a pattern that matches every string', { path: '$.stdout', operator: 'matches', value: 'x*' }],
    ['has a pattern with an empty branch', { path: '$.stdout', operator: 'matches', value: 'ok|' }],
    ['allows every length', { path: '$.stdout', operator: 'length_gte', value: 0 }],
  ])('an assertion that %s cannot fail', ([, assert]) => {
    expect(codes(asserts(assert))).toEqual(['assertion.cannot_fail']);
  });

  test.for<[string, object]>([
    ['a length below 0', { path: '$.stdout', operator: 'length_lt', value: 0 }],
    ['a string that does not contain the empty string', { path: '$.stdout', operator: 'not_contains', value: '' }],
    ['a match of a pattern with look-ahead', { path: '$.stdout', operator: 'matches', value: 'a(?=b)' }],
  ])('an assertion that expects %s can never hold', ([, assert]) => {
    expect(codes(asserts(assert))).toEqual(['assertion.invalid_value']);
  });

  test.for<object>([
    { path: '$.stdout', operator: 'matches', value: '^$' },
    { path: '$.stdout', operator: 'matches', value: 'ok' },
    { path: '$.exitCode', operator: 'neq', value: 1 },
    { path: '$.stdout', operator: 'exists' },
  ])('an assertion that can fail has no finding: %o', (assert) => {
    expect(codes(asserts(assert))).toEqual([]);
  });

  test('an assertion on a stream may be "truthy"', () => {
    const check = { action: 'assert_output', source: 'a', assert: { operator: 'truthy' } };
    expect(codes({ a: say('x'), b: check })).toEqual([]);
    expect(codes({ a: say('x'), b: { action: 'assert_output', source: 'a', match: '.*' } })).toEqual(['assertion.cannot_fail']);
    expect(codes({ a: say('x'), b: { action: 'assert_output', source: 'a', match: '(' } })).toEqual(['assertion.invalid_value']);
  });
});

describe('a claim', () => {
  const claims = { targets: ['AC1'] };
  const proof = { proofTarget: 'AC1', assert: { path: '$.exitCode', operator: 'eq', value: 0 } };

  test.for<[string, Nodes, Rest]>([
    ['cannot be reached', { a: say('x', { next: 'done' }), b: say('y', { ...proof, next: 'done' }), done: end('pass') }, {}],
    ['belongs to setup', { a: say('x') }, { setup: [say('y', proof)] }],
    ['belongs to teardown', { a: say('x') }, { teardown: [say('y', proof)] }],
    ['is tolerated', { a: say('x', { ...proof, rw: { on_fail: 'continue' } }) }, {}],
  ])('a claim is not proven by a node that %s', ([, nodes, rest]) => {
    expect(codes(nodes, { ...claims, ...rest })).toContain('recipe.unproven_target');
  });

  test('a claim is proven by an asserting node of the proof', () => {
    expect(codes({ a: say('x', proof) }, claims, { production: true })).toEqual([]);
  });
});

describe('a backdoor', () => {
  const press = { action: 'ui.press', test_id: 'buy', proofTarget: 'AC1' };
  const shot = { action: 'ui.screenshot', proofTarget: 'AC1' };
  const see = { action: 'ui.wait_for', test_id: 'ok', proofTarget: 'AC1' };
  const store = (more: object = {}) => ({ action: 'cdp.storage', mode: 'set', key: 'a', value: 1, ...more });

  test.for<[string, object]>([
    ['without a phase', {}],
    ['with phase "setup"', { phase: 'setup' }],
    ['with a proof target', { proofTarget: 'AC1' }],
  ])('a backdoor after the first node of the proof is refused, also one %s', ([, more]) => {
    expect(codes({ press, store: store(more), see, shot }, { targets: ['AC1'] })).toEqual(['workflow.backdoor_in_proof']);
  });

  test('the finding about a backdoor after the proof names the node of the proof, whatever the phase of the backdoor', () => {
    const nodes = { open: { action: 'ui.navigate', url: '/' }, press, store: store({ phase: 'setup' }), see, shot };
    const [finding] = findingsOf(nodes, { targets: ['AC1'] });
    expect(finding?.message).toContain('"press" is part of it and can run before this node, despite its "phase"');
    expect(finding?.hint).toContain('Move the node before "press"');
  });

  test('a backdoor before the proof is allowed', () => {
    expect(codes({ store: store(), press, see, shot }, { targets: ['AC1'] })).toEqual([]);
  });

  test('a backdoor in a flow that the proof calls is refused', () => {
    const flows = { 'shop.cheat': flow({ store: store() }) };
    const call = { action: 'call', ref: 'shop.cheat', phase: 'proof' };
    expect(codes({ call }, { flows })).toContain('workflow.backdoor_in_proof');
  });

  test('ui.navigate refuses a page that the recipe itself writes', () => {
    for (const url of ['data:text/html,<h1>ok</h1>', 'javascript:alert(1)', ' about:blank']) {
      expect(codes({ a: { action: 'ui.navigate', url } })).toEqual(['action.invalid_field']);
    }
  });
});

describe('the data flow', () => {
  test.for<[string, object]>([
    ['a value that no node saves', { source: 'saved', path: '$.nope', operator: 'exists' }],
    ['an input that is not declared', { source: 'inputs', path: '$.nope', operator: 'exists' }],
    ['params outside a flow', { source: 'params', path: '$.a', operator: 'exists' }],
    ['an item outside an rw.each', { source: 'item', path: '$.a', operator: 'exists' }],
  ])('reading %s is an error', ([, assert]) => {
    expect(codes(asserts(assert))).toEqual(['workflow.unresolved_output']);
  });

  test('a postcondition may read the outputs, the status, the ref and the params of its flow', () => {
    for (const source of ['outputs', 'status', 'ref', 'params']) {
      const flows = { 'shop.mark': flow({ w: say('x') }, { postcondition: { source, path: '$.a', operator: 'exists' } }) };
      expect(codes({ call: { action: 'call', ref: 'shop.mark' } }, { flows })).toEqual([]);
    }
    const flows = {
      'shop.mark': flow({ w: say('x') }, { postcondition: { path: '$.outputs.nope.exitCode', operator: 'exists' } }),
    };
    expect(codes({ call: { action: 'call', ref: 'shop.mark' } }, { flows })).toEqual(['workflow.unresolved_output']);
  });
});

test('a reference exempts only its own value from the check of fields', () => {
  expect(codes({ a: say('x', { env: { A: '{{x}}', B: 5 } }) }, { inputs: { x: 'y' } })).toEqual(['action.invalid_field']);
  const artifacts = [{ path: '{{x}}', labell: 'q' }];
  expect(codes({ a: { action: 'index_artifacts', artifacts } }, { inputs: { x: 'y' } })).not.toEqual([]);
});

test('a node id may not be the name of a reserved source', () => {
  for (const id of ['inputs', 'params', 'saved', 'item', 'output'])
    expect(codes({ [id]: say('x') })).toEqual(['workflow.duplicate_id']);
});

test('setup, startState and teardown have no ends, switches or transitions', () => {
  const go = { when: { source: 'inputs', path: '$.x', operator: 'exists' }, next: 'a' };
  expect(codes({ a: say('x') }, { setup: [end('pass')] })).toEqual(['workflow.invalid_lifecycle_node']);
  expect(codes({ a: say('x') }, { setup: [{ action: 'switch', cases: [go] }], inputs: { x: 1 } })).toContain(
    'workflow.lifecycle_has_transition',
  );
  expect(codes({ a: say('x') }, { startState: say('y', { intent: 'Fill the cart', next: 'a' }) })).toContain(
    'workflow.lifecycle_has_transition',
  );
});

test('flows that call each other in a cycle are an error even when no node calls them', () => {
  const to = (ref: string) => flow({ go: { action: 'call', ref } });
  const flows = { 's.a': to('s.b'), 's.b': to('s.a') };
  expect(codes({ a: say('x', { next: 'nowhere' }), done: end('pass') }, { flows })).toContain('flow.call_cycle');
});

test('a literal with a "type" key is not a descriptor', () => {
  expect(
    codes({ a: say('x') }, { inputs: { shape: { type: 'circle', r: 3 }, size: { type: 'string', enum: ['a'], default: 'a' } } }),
  ).toEqual([]);
});

test('a recipe with thousands of wrong names is checked within a second', () => {
  const count = 5_000;
  const nodes = Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, say('x', { next: `m${index}` })]));
  const sources = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [`n${index}`, { action: 'assert_output', source: `m${index}`, contains: 'a' }]),
  );
  for (const many of [nodes, sources]) {
    const answer = (): void => expect(codes({ ...many, done: end('pass') })).toContain('document.more_findings');
    expect(cpuMs(answer)).toBeLessThan(1_000);
  }
});

test('a path outside the project is refused', () => {
  for (const path of ['/etc/passwd', '../../.ssh/id_rsa', 'C:\\x', 'a/../../b', '..']) {
    expect(codes({ a: { action: 'assert_file', path } })).toEqual(['action.invalid_field']);
    expect(codes({ a: { action: 'index_artifacts', artifacts: [path] } })).toEqual(['action.invalid_field']);
  }
  for (const path of ['a.json', 'reports/..b/x', './a', '.hidden'])
    expect(codes({ a: { action: 'assert_file', path } })).toEqual([]);
});

test('in production a node with an assertion needs a proof target', () => {
  const inline = say('x', { assert: { path: '$.exitCode', operator: 'eq', value: 0 } });
  const proof = say('y', { proofTarget: 'AC1', assert: { path: '$.exitCode', operator: 'eq', value: 0 } });
  expect(codes({ inline, proof }, { targets: ['AC1'] }, { production: true })).toEqual(['workflow.node_without_proof_target']);
});
