// Recipes that call other recipes: the depth of calls, cycles, params, and the teardown of a called recipe.
import { describe, expect, test } from 'vitest';
import { toClassic } from '../../../../src/formats/modern/compile.js';
import { runPlain } from '../../../support/plain.js';
import { done, echo, inMemory, modern } from './modernFiles.js';

const call = (ref: string, rest: object = {}) => ({ action: 'call', intent: 'Run shared steps', ref, next: 'done', ...rest });
const log = (text: string, rest: object = {}) => echo({ argv: ['sh', '-c', `echo ${text} >> log`], ...rest });

function translate(recipes: Record<string, object>) {
  const { document, resolve } = inMemory(recipes);
  return toClassic(document, resolve);
}

/** Creates a chain of recipes, each of which calls the next. */
function callChain(length: number): Record<string, object> {
  const recipe = (index: number) => modern({ go: index < length ? call(`s${index + 1}`) : echo() });
  return Object.fromEntries(Array.from({ length: length + 1 }, (_, index) => [`s${index}`, recipe(index)]));
}

const codes = ({ findings }: ReturnType<typeof toClassic>) =>
  findings.map(({ code, place }) => `${code} ${place.file}:${place.line}`);

describe('the depth of calls', () => {
  test('calls may be nested seven levels deep, but not eight', () => {
    expect(codes(translate(callChain(7)))).toEqual([]);
    expect(Object.keys(translate(callChain(7)).json?.flows ?? {})).toHaveLength(7);
    expect(codes(translate(callChain(8)))).toEqual(['flow.call_depth /lib/s7.recipe.json:9']);
  });

  test('the depth of calls is the longest path, even when a shorter path is visited first', () => {
    const root = modern({ short: call('s8', { next: 'long' }), long: call('s1') });
    expect(codes(translate({ ...callChain(8), s0: root }))).toEqual(['flow.call_depth /lib/s7.recipe.json:9']);
    const other = modern({ long: call('s1', { next: 'short' }), short: call('s8') });
    expect(codes(translate({ ...callChain(8), s0: other }))).toEqual(['flow.call_depth /lib/s7.recipe.json:9']);
  });

  test('a chain of 5,000 calls is refused without overflowing the stack', () => {
    expect(codes(translate(callChain(5_000)))).toEqual(['flow.call_depth /lib/s7.recipe.json:9']);
  });

  test('each called recipe is read once, however many calls lead to it', () => {
    const wide = (next: string) =>
      modern(
        Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`n${i}`, call(next, { next: i < 39 ? `n${i + 1}` : 'done' })])),
      );
    const recipes = { r: wide('a'), a: wide('b'), b: wide('c'), c: wide('d'), d: wide('e'), e: modern({ say: echo() }) };
    expect(codes(translate(recipes))).toEqual([]);
  });
});

describe('a cycle of calls', () => {
  test('a cycle of calls is refused at the call that closes it, with its path', () => {
    const { findings } = translate({ r: modern({ go: call('a') }), a: modern({ go: call('b') }), b: modern({ go: call('a') }) });
    expect(findings.map(({ code, message, place }) => [code, message, place.file])).toEqual([
      ['flow.call_cycle', 'The recipes call each other in a cycle: a → b → a.', '/lib/b.recipe.json'],
    ]);
  });

  test('a cycle of calls through the root recipe is refused', () => {
    expect(codes(translate({ r: modern({ go: call('r') }) }))).toEqual(['flow.call_cycle /lib/r.recipe.json:9']);
    const indirect = { r: modern({ go: call('a') }), a: modern({ go: call('r') }) };
    expect(codes(translate(indirect))).toEqual(['flow.call_cycle /lib/a.recipe.json:9']);
  });
});

describe('the params of a call', () => {
  const paramsSchema = {
    type: 'object',
    properties: { n: { type: 'integer', default: 3 }, who: { type: 'string' } },
    required: ['who'],
  };
  const greet = modern({ say: echo({ argv: ['echo', '{{params.n}} {{params.who}}'] }) }, { paramsSchema });
  const translateWith = (params?: object) => translate({ r: modern({ go: call('greet', params ? { params } : {}) }), greet });

  test('the params of a call get their defaults, and a falsy value counts as a value', () => {
    expect(translateWith({ who: 'Ada' }).json?.validate.workflow.nodes.go?.params).toEqual({ who: 'Ada', n: 3 });
    expect(translateWith({ who: '', n: 0 }).json?.validate.workflow.nodes.go?.params).toEqual({ who: '', n: 0 });
  });

  test('a missing or unknown param is refused at the call', () => {
    expect(codes(translateWith())).toEqual(['workflow.invalid_call_params /lib/r.recipe.json:6']);
    expect(codes(translateWith({ who: 'Ada', __proto_: 1 }))).toEqual(['workflow.invalid_call_params /lib/r.recipe.json:13']);
  });

  test('a default of a param with a reference is refused, so that it cannot read values of the caller', () => {
    const malicious = modern(
      { say: echo({ stdin: '{{params.x}}' }) },
      { paramsSchema: { type: 'object', properties: { x: { default: '{{params.secret}}' } } } },
    );
    const root = modern(
      { go: call('malicious') },
      { paramsSchema: { type: 'object', properties: { secret: { type: 'string' } } } },
    );
    expect(codes(translate({ r: root, malicious }))).toContain('template.invalid_reference /lib/malicious.recipe.json:7');
  });
});

describe('an error in a called recipe', () => {
  test('an error in a called recipe is reported at its position, not at the call', () => {
    const broken = modern({ say: echo({ phase: 'proof' }) });
    expect(codes(translate({ r: modern({ go: call('broken') }), broken }))).toEqual([
      'recipe.unsupported_field /lib/broken.recipe.json:13',
    ]);
    const lost = modern({ say: echo({ stdin: '{{outputs.nobody.x}}' }) });
    expect(codes(translate({ r: modern({ go: call('lost') }), lost }))).toEqual([
      'template.unresolved_reference /lib/lost.recipe.json:13',
    ]);
  });

  test('an error in a called recipe is reported once, however often the recipe is called', () => {
    const broken = modern({ say: echo({ phase: 'proof' }) });
    const twice = modern({ a: call('broken', { next: 'b' }), b: call('broken') });
    expect(codes(translate({ r: twice, broken }))).toHaveLength(1);
  });
});

describe('a called recipe with a teardown', () => {
  const shared = (work: Record<string, unknown>) =>
    modern({ work, sweep: log('swept', { next: 'swept' }), swept: done }, { workflow: { teardown: 'sweep' } });
  const run = async (work: Record<string, unknown>) => {
    const { json } = translate({
      r: modern({ go: call('shared', { next: 'after' }), after: log('after') }),
      shared: shared(work),
    });
    return runPlain(json);
  };

  test('the teardown of a called recipe runs before its caller continues', async () => {
    const { summary, ids, read } = await run(log('worked'));
    expect(read('log')).toBe('worked\nswept\nafter\n');
    expect(summary.status).toBe('pass');
    expect(ids).toContain('go/main/work');
  });

  test('the teardown of a called recipe also runs after a failure, and the caller fails', async () => {
    const { summary, read } = await run(echo({ argv: ['false'] }));
    expect(read('log')).toBe('swept\n');
    expect(summary.status).toBe('fail');
  });

  test('a called recipe proves the claim of its call only with assertions', async () => {
    const proofTargets = [{ id: 'x', claim: 'It works' }];
    const runProof = async (nodes: object) => {
      const root = modern({ go: call('shared', { proves: ['x'] }) }, { proofTargets });
      const work = modern({ ...nodes, sweep: log('swept', { next: 'end' }), end: done }, { workflow: { teardown: 'sweep' } });
      return (await runPlain(translate({ r: root, shared: work }).json)).summary.status;
    };
    const check = { action: 'assert_output', intent: 'The word was printed', source: 'say', contains: 'word', next: 'done' };
    expect(await runProof({ say: echo({ argv: ['echo', 'word'] }) })).toBe('unknown');
    expect(await runProof({ say: echo({ argv: ['echo', 'word'], next: 'check' }), check })).toBe('pass');
    expect(await runProof({ say: echo({ argv: ['echo', 'none'], next: 'check' }), check })).toBe('fail');
  });

  test('the teardown of a called recipe reads the outputs of its own main part', () => {
    const nodes = { main: echo(), sweep: echo({ stdin: '{{outputs.main.stdout}}', next: 'swept' }), swept: done };
    const { json } = translate({ r: modern({ go: call('shared') }), shared: modern(nodes, { workflow: { teardown: 'sweep' } }) });
    const flow = json?.flows?.['shared..teardown']?.workflow;
    expect(flow?.nodes.sweep?.rw).toEqual({ in: { stdin: { source: 'main_', path: '$.outputs.main.stdout' } } });
    expect(Object.keys(json?.flows?.shared?.workflow?.nodes ?? {}).slice(0, 2)).toEqual(['main_', 'teardown']);
  });
});
