// Recipes that do not prove all their claims, each with the verdict that it must get in every host.
import { end, exit, hears, recipe, say } from './recipe.js';

const AC1 = { proofTarget: 'AC1' };
const claims = { targets: ['AC1'] };
const heard = { speak: say('hello'), listen: hears('speak', 'hello', AC1) };

export type Expected = { status: 'fail' | 'unknown'; reason: string; cause_class?: string };

/** The recipes by name. They use `lab.nothing`, an action that cannot fail. */
export const proofless: Record<string, [document: object, expected: Expected]> = {
  unproven: [
    recipe({ speak: say('hello', AC1) }, claims),
    { status: 'unknown', reason: 'AC1 is unproven: no assertion was evaluated for it' },
  ],
  skipped: [
    recipe(
      {
        speak: say('hello'),
        listen: hears('speak', 'hello', { ...AC1, when: { path: '$.speak.exitCode', operator: 'eq', value: 7 } }),
      },
      claims,
    ),
    { status: 'unknown', reason: 'AC1 is unproven: no assertion was evaluated for it' },
  ],
  'one-of-two': [recipe(heard, { targets: ['AC1', 'AC2'] }), { status: 'unknown', reason: 'AC2 is unproven' }],
  'ends-unknown': [
    recipe({ ...heard, over: end('unknown') }, claims),
    { status: 'unknown', reason: 'the recipe ended with status unknown' },
  ],
  'ends-failed': [
    recipe({ ...heard, over: end('fail') }, claims),
    { status: 'fail', reason: 'the recipe ended with status fail', cause_class: 'subject' },
  ],
  'nothing-fallible': [
    recipe({ rest: { action: 'lab.nothing' } }),
    { status: 'unknown', reason: 'no executed node could have failed' },
  ],
  'only-an-end': [recipe({ over: end('pass') }), { status: 'unknown', reason: 'no executed node could have failed' }],
  'all-skipped': [
    recipe(
      { speak: say('hello', { unless: { source: 'inputs', path: '$.off', operator: 'eq', value: true } }) },
      { inputs: { off: true } },
    ),
    { status: 'unknown', reason: 'no executed node could have failed' },
  ],
  'gated-end': [
    recipe({ ...heard, over: { ...end('pass'), when: { path: '$.speak.exitCode', operator: 'eq', value: 7 } } }, claims),
    { status: 'unknown', reason: 'status unknown' },
  ],
  tolerated: [
    recipe({ speak: say('hello'), listen: hears('speak', 'goodbye', { ...AC1, rw: { on_fail: 'continue' } }) }, claims),
    { status: 'fail', reason: 'AC1 is refuted: 1 of 1 assertions did not hold', cause_class: 'subject' },
  ],
  'smoke-tolerated': [
    recipe({ leave: exit(3, { rw: { on_fail: 'continue' } }) }),
    { status: 'unknown', reason: 'no executed node could have failed' },
  ],
  blocked: [
    recipe(heard, { proofTargets: [{ id: 'AC1', claim: 'It says hello.', blocked: 'no access yet' }] }),
    { status: 'unknown', reason: 'AC1 is blocked: no access yet' },
  ],
  teardown: [
    recipe(heard, { ...claims, teardown: [exit(3), say('still done')] }),
    { status: 'fail', reason: 'teardown:0: Command exited with 3', cause_class: 'subject' },
  ],
};

/**
 * Recipes that prove a claim by an assertion on a page: without a screenshot, with a screenshot of no claim, and with one of the
 * claim.
 */
export const visible = (page: string) => {
  const nodes = {
    open: { action: 'ui.navigate', url: page },
    see: { action: 'ui.wait_for', test_id: 'total', text: 'Total 21', ...AC1 },
  };
  return {
    a: nodes,
    b: { ...nodes, keep: { action: 'ui.screenshot' } },
    c: { ...nodes, keep: { action: 'ui.screenshot', ...AC1 } },
  };
};

export const visiblePage = '<h1 data-testid=total>Total 21</h1>';
export const notShown = 'AC1 is unproven: it is visible in the UI, but no artifact shows it';

const one = { path: '$.count', operator: 'eq', value: 1 };
const counting = {
  postcondition: one,
  workflow: {
    entry: 'count',
    nodes: { count: { action: 'lab.count', intent: 'Count to one', next: 'over' }, over: end('pass') },
  },
};

/** Recipes without claims that pass. They use `lab.count`, which cannot fail and returns `{ count: 1 }`. */
export const smoke = {
  allowed: recipe({ leave: exit(3, { allow_failure: true, assert: { path: '$.exitCode', operator: 'eq', value: 3 } }) }),
  inline: recipe({ count: { action: 'lab.count', assert: one } }),
  post: recipe({ call: { action: 'call', ref: 'lab.one' } }, { flows: { 'lab.one': counting } }),
};
