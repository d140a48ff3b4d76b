// A template compiled with its values: the work, the attempts and the delays of every node.
import { describe, expect, test } from 'vitest';
import { type BoundNode, compileBoundRecipe } from '../../../../src/formats/template/boundRecipe.js';
import { toRootNode } from '../../../../src/formats/template/model.js';
import { maxBranches } from '../../../../src/formats/template/resolveNode.js';
import { toRecipeV1 } from '../../../../src/formats/template/toRecipeV1.js';

function bind(template: unknown, callerValues = {}, compat = false): BoundNode {
  const settings = { callerValues, compat, cwd: '/base', maxParallel: maxBranches };
  return compileBoundRecipe({ node: toRootNode(template), inherited: {} }, settings).root;
}

function compile(template: object): Record<string, unknown> {
  const { validate } = toRecipeV1({ name: 'a', template }).json as { validate: { workflow: { nodes: { template: object } } } };
  return validate.workflow.nodes.template as Record<string, unknown>;
}

describe('a bound template', () => {
  test('values fill the attempts, the limits and the conditions of a template', () => {
    const numbers = { defaults: { n: 3 }, parallel: true, concurrency: '{n}', min_successful: '{n}', timeout: '{n}00' };
    const root = bind({ ...numbers, retry: '{n}', template: ['a', { when: '{list[0]}', template: 'b' }] }, { list: ['no'] });
    expect(root).toMatchObject({ maxAttempts: 3, work: { kind: 'branches', limit: 3, quorum: 3, timeoutMs: 300 } });
    expect(root.children.map(({ work }) => work.kind)).toEqual(['command', 'skip']);
  });

  test('a missing value is an error before the run, and in compat only when the run reaches the node', () => {
    expect(() => bind(['a', 'b {nope}'])).toThrow('Missing command template value: nope');
    expect(bind(['a', 'b {nope}'], {}, true).children.map(({ work }) => work.kind)).toEqual(['command', 'refused']);
  });

  test('a bound template waits for the delay of a skipped node, but a compiled recipe does not', () => {
    const template = { delay: 100, when: 'no', template: 'a' };
    expect(bind(template)).toMatchObject({ work: { kind: 'skip', delayMs: 100 }, children: [] });
    expect(compile(template)).toMatchObject({ delays: [100], when: { all: [{ source: 'inputs' }, {}, {}] } });
  });

  test('a bound template waits once before all attempts, but a compiled recipe waits before each attempt', () => {
    const template = { delay: 100, timeout: 50, retry: 2, template: ['a', 'b'] };
    const [delay, group] = bind(template).children;
    expect(delay?.work).toEqual({ kind: 'skip', delayMs: 100 });
    expect(group).toMatchObject({ maxAttempts: 2, work: { kind: 'sequence', timeoutMs: 50 } });
    expect(compile(template)).toMatchObject({
      timeout_ms: 150,
      rw: { retry: { max: 2 } },
      body: { nodes: { 'step-1': { delays: [100] } } },
    });
  });

  test('the limit of parallel branches caps concurrency in a bound template, but not in a compiled recipe', () => {
    const template = { parallel: true, concurrency: 100, repeat: 200, template: 'a' };
    expect(bind(template).work).toMatchObject({ limit: maxBranches });
    expect(compile(template)).toMatchObject({ limit: 100 });
  });

  test('an inner node inherits the fields of its outer node, unless it has its own', () => {
    const outer = bind([{ failure: 'branch', template: { template: 'a' } }]).children[0];
    const inner = bind([{ failure: 'branch', template: { failure: 'continue', template: 'a' } }]).children[0];
    expect([outer?.failure, inner?.failure, inner?.mayFail]).toEqual(['branch', 'continue', true]);
  });

  test('in compat, only the failure field of the outer node counts', () => {
    const inner = bind([{ template: { failure: 'root', template: 'a' } }], {}, true).children[0];
    expect(inner?.failure).toBe('continue');
  });

  test('a retried node and its recovery can contain retried nodes', () => {
    const root = bind({ retry: 2, recover: { retry: 3, template: ['c'] }, template: { retry: 4, template: ['a'] } });
    expect([root.work.kind, root.maxAttempts, root.children[0]?.maxAttempts]).toEqual(['wrapper', 2, 4]);
    expect(root.recovery).toMatchObject({ isRecovery: true, work: { kind: 'wrapper' }, children: [{ maxAttempts: 3 }] });
  });
});
