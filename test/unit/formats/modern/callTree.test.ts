// Recipes that call others: how deep, in which circle not, with which params, and what is cleaned up after them.
import { describe, expect, test } from 'vitest';
import { toClassic } from '../../../../src/formats/modern/compile.js';
import { runPlain } from '../../../support/plain.js';
import { done, echo, inMemory, modern } from './modernFiles.js';

const call = (ref: string, rest: object = {}) => ({ action: 'call', intent: 'Do what is shared', ref, next: 'done', ...rest });
const log = (text: string, rest: object = {}) => echo({ argv: ['sh', '-c', `echo ${text} >> log`], ...rest });

function translate(recipes: Record<string, object>) {
  const { document, resolve } = inMemory(recipes);
  return toClassic(document, resolve);
}

/** A stair of recipes: each calls the next. */
function stair(steps: number): Record<string, object> {
  const step = (index: number) => modern({ go: index < steps ? call(`s${index + 1}`) : echo() });
  return Object.fromEntries(Array.from({ length: steps + 1 }, (_, index) => [`s${index}`, step(index)]));
}

const codes = ({ findings }: ReturnType<typeof toClassic>) =>
  findings.map(({ code, place }) => `${code} ${place.file}:${place.line}`);

describe('the depth of calls', () => {
  test('may be a recipe and seven more, not eight', () => {
    expect(codes(translate(stair(7)))).toEqual([]);
    expect(Object.keys(translate(stair(7)).json?.flows ?? {})).toHaveLength(7);
    expect(codes(translate(stair(8)))).toEqual(['flow.call_depth /lib/s7.recipe.json:9']);
  });

  test('is that of the longest way, also when a short way was seen first', () => {
    const root = modern({ short: call('s8', { next: 'long' }), long: call('s1') });
    expect(codes(translate({ ...stair(8), s0: root }))).toEqual(['flow.call_depth /lib/s7.recipe.json:9']);
    const other = modern({ long: call('s1', { next: 'short' }), short: call('s8') });
    expect(codes(translate({ ...stair(8), s0: other }))).toEqual(['flow.call_depth /lib/s7.recipe.json:9']);
  });

  test('of a stair without end is found without climbing down', () => {
    expect(codes(translate(stair(5_000)))).toEqual(['flow.call_depth /lib/s7.recipe.json:9']);
  });

  test('costs one reading of each recipe, however many ways lead to it', () => {
    const wide = (next: string) =>
      modern(
        Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`n${i}`, call(next, { next: i < 39 ? `n${i + 1}` : 'done' })])),
      );
    const recipes = { r: wide('a'), a: wide('b'), b: wide('c'), c: wide('d'), d: wide('e'), e: modern({ say: echo() }) };
    expect(codes(translate(recipes))).toEqual([]);
  });
});

describe('a circle of calls', () => {
  test('is refused where it closes, with its way', () => {
    const { findings } = translate({ r: modern({ go: call('a') }), a: modern({ go: call('b') }), b: modern({ go: call('a') }) });
    expect(findings.map(({ code, message, place }) => [code, message, place.file])).toEqual([
      ['flow.call_cycle', 'The recipes call each other in a cycle: a → b → a.', '/lib/b.recipe.json'],
    ]);
  });

  test('through the recipe that runs is refused too', () => {
    expect(codes(translate({ r: modern({ go: call('r') }) }))).toEqual(['flow.call_cycle /lib/r.recipe.json:9']);
    const there = { r: modern({ go: call('a') }), a: modern({ go: call('r') }) };
    expect(codes(translate(there))).toEqual(['flow.call_cycle /lib/a.recipe.json:9']);
  });
});

describe('the params of a call', () => {
  const paramsSchema = {
    type: 'object',
    properties: { n: { type: 'integer', default: 3 }, who: { type: 'string' } },
    required: ['who'],
  };
  const greet = modern({ say: echo({ argv: ['echo', '{{params.n}} {{params.who}}'] }) }, { paramsSchema });
  const given = (params?: object) => translate({ r: modern({ go: call('greet', params ? { params } : {}) }), greet });

  test('are completed with the defaults, and a falsy value is a value', () => {
    expect(given({ who: 'Ada' }).json?.validate.workflow.nodes.go?.params).toEqual({ who: 'Ada', n: 3 });
    expect(given({ who: '', n: 0 }).json?.validate.workflow.nodes.go?.params).toEqual({ who: '', n: 0 });
  });

  test('are refused when one is missing or unknown, at the call', () => {
    expect(codes(given())).toEqual(['workflow.invalid_call_params /lib/r.recipe.json:6']);
    expect(codes(given({ who: 'Ada', __proto_: 1 }))).toEqual(['workflow.invalid_call_params /lib/r.recipe.json:13']);
  });

  test('never take a default for a text with references of the caller', () => {
    const sly = modern(
      { say: echo({ stdin: '{{params.x}}' }) },
      { paramsSchema: { type: 'object', properties: { x: { default: '{{params.secret}}' } } } },
    );
    const root = modern({ go: call('sly') }, { paramsSchema: { type: 'object', properties: { secret: { type: 'string' } } } });
    expect(codes(translate({ r: root, sly }))).toContain('template.invalid_reference /lib/sly.recipe.json:7');
  });
});

describe('what is wrong inside of a called recipe', () => {
  test('is shown there, not at the call', () => {
    const broken = modern({ say: echo({ phase: 'proof' }) });
    expect(codes(translate({ r: modern({ go: call('broken') }), broken }))).toEqual([
      'recipe.unsupported_field /lib/broken.recipe.json:13',
    ]);
    const lost = modern({ say: echo({ stdin: '{{outputs.nobody.x}}' }) });
    expect(codes(translate({ r: modern({ go: call('lost') }), lost }))).toEqual([
      'template.unresolved_reference /lib/lost.recipe.json:13',
    ]);
  });

  test('is said once, however often it is called', () => {
    const broken = modern({ say: echo({ phase: 'proof' }) });
    const twice = modern({ a: call('broken', { next: 'b' }), b: call('broken') });
    expect(codes(translate({ r: twice, broken }))).toHaveLength(1);
  });
});

describe('a called recipe with a clean-up of its own', () => {
  const shared = (work: Record<string, unknown>) =>
    modern({ work, sweep: log('swept', { next: 'swept' }), swept: done }, { workflow: { teardown: 'sweep' } });
  const run = async (work: Record<string, unknown>) => {
    const { json } = translate({
      r: modern({ go: call('shared', { next: 'after' }), after: log('after') }),
      shared: shared(work),
    });
    return runPlain(json);
  };

  test('is cleaned up before its caller goes on', async () => {
    const { summary, ids, read } = await run(log('worked'));
    expect(read('log')).toBe('worked\nswept\nafter\n');
    expect(summary.status).toBe('pass');
    expect(ids).toContain('go/main/work');
  });

  test('is cleaned up after a failure too, and the caller fails', async () => {
    const { summary, read } = await run(echo({ argv: ['false'] }));
    expect(read('log')).toBe('swept\n');
    expect(summary.status).toBe('fail');
  });

  test('proves the claim of its call only by what it asserts', async () => {
    const proofTargets = [{ id: 'x', claim: 'It works' }];
    const proving = async (nodes: object) => {
      const root = modern({ go: call('shared', { proves: ['x'] }) }, { proofTargets });
      const work = modern({ ...nodes, sweep: log('swept', { next: 'end' }), end: done }, { workflow: { teardown: 'sweep' } });
      return (await runPlain(translate({ r: root, shared: work }).json)).summary.status;
    };
    const check = { action: 'assert_output', intent: 'The word was said', source: 'say', contains: 'word', next: 'done' };
    expect(await proving({ say: echo({ argv: ['echo', 'word'] }) })).toBe('unknown');
    expect(await proving({ say: echo({ argv: ['echo', 'word'], next: 'check' }), check })).toBe('pass');
    expect(await proving({ say: echo({ argv: ['echo', 'none'], next: 'check' }), check })).toBe('fail');
  });

  test('reads in its clean-up what it did itself', () => {
    const nodes = { main: echo(), sweep: echo({ stdin: '{{outputs.main.stdout}}', next: 'swept' }), swept: done };
    const { json } = translate({ r: modern({ go: call('shared') }), shared: modern(nodes, { workflow: { teardown: 'sweep' } }) });
    const flow = json?.flows?.['shared..teardown']?.workflow;
    expect(flow?.nodes.sweep?.rw).toEqual({ in: { stdin: { source: 'main_', path: '$.outputs.main.stdout' } } });
    expect(Object.keys(json?.flows?.shared?.workflow?.nodes ?? {}).slice(0, 2)).toEqual(['main_', 'teardown']);
  });
});
