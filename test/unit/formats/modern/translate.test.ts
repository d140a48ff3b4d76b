// What is refused, what is kept, and what must not break the translation.
import { describe, expect, test } from 'vitest';
import { officialVocabulary } from '../../../../src/actions/vocabulary.js';
import { checkRecipe } from '../../../../src/check/checkRecipe.js';
import { recipeV1Modern, toClassic } from '../../../../src/formats/modern/compile.js';
import { cpuMs } from '../../../support/cpuMs.js';
import { runPlain } from '../../../support/plain.js';
import { done, echo, modern, type Nodes, none, parse } from './modernFiles.js';

const read = (json: object) => parse('/a.recipe.json', JSON.stringify(json, null, 2));
const translate = (nodes: Nodes, rest: Record<string, unknown> = {}) => toClassic(read(modern(nodes, rest)), none);
const codes = ({ findings }: { findings: { code: string; path: string }[] }) =>
  findings.map(({ code, path }) => `${code} ${path}`);
const mode = { paramsSchema: { type: 'object', properties: { mode: { type: 'string' }, list: { type: 'array' } } } };

describe('a reference to an output', () => {
  const branch = { action: 'shop.ask', intent: 'Ask which way to go', cases: { left: 'left' }, default: 'right' };
  const reading = (id: string) => ({ stdin: `{{outputs.${id}.stdout}}` });

  test.for([
    ['of a node that follows', { a: echo({ ...reading('b'), next: 'b' }), b: echo() }, '/workflow/nodes/a/stdin'],
    ['of the node itself', { a: echo(reading('a')) }, '/workflow/nodes/a/stdin'],
    ['of another branch', { a: branch, left: echo(), right: echo(reading('left')) }, '/workflow/nodes/right/stdin'],
    ['of no node', { a: echo({ argv: ['echo', 'x {{outputs.toString.y}}'] }) }, '/workflow/nodes/a/argv/1'],
  ] as const)('%s is refused', ([, nodes, path]) => {
    expect(codes(translate(nodes as Nodes))).toEqual([`template.unresolved_reference ${path}`]);
  });

  test('goes from the proof to the clean-up, not back', () => {
    const both = (a: object, z: object) =>
      translate({ a: echo(a), z: echo({ ...z, next: 'end' }), end: done }, { workflow: { teardown: 'z' } });
    expect(codes(both({}, reading('a')))).toEqual([]);
    expect(codes(both(reading('z'), {}))).toEqual(['template.unresolved_reference /workflow/nodes/a/stdin']);
  });

  test('cannot stand in a claim', () => {
    const proofTargets = [{ id: 'x', claim: '{{outputs.a.stdout}} is shown' }];
    expect(codes(translate({ a: echo() }, { proofTargets }))).toEqual(['template.unresolved_reference /proofTargets/0/claim']);
  });
});

test.for([
  '{{name}}',
  '{{inputs.mode}}',
  '{{params.}}',
  '{{params.list[*]}}',
  '{{params.list[-1]}}',
  '{{params.__proto__}}',
  '{{outputs.a.constructor.name}}',
  '{{params.mode',
])('%s is no reference of modern recipes', (text) => {
  const { findings } = translate({ a: echo({ next: 'b' }), b: echo({ stdin: `so ${text} so` }) }, mode);
  expect(findings.map(({ code }) => code)).toContain('template.invalid_reference');
});

test.for(['{{.Names}}', '{{#if x}}', '{ {params.mode} }', '{{ $x }}', '{params.mode}', '}}{{'])('%s is left as it is', (text) => {
  const { json, findings } = translate({ a: echo({ stdin: text }) });
  expect(findings).toEqual([]);
  expect(json?.validate.workflow.nodes.a?.stdin).toBe(text);
});

describe('a switch', () => {
  const on = (value: unknown, equals: unknown) => {
    const node = { action: 'switch', intent: 'Go on by the mode', value, equals, cases: { match: 'done' }, default: 'no' };
    return translate({ a: echo({ next: 's' }), s: node as Record<string, unknown>, no: { action: 'end', status: 'fail' } }, mode);
  };

  test.for([
    ['{{outputs.a.x}}', '{{outputs.a.y}}'],
    ['{{outputs.a.x}}', '{{params.list[0]}}'],
    ['a {{params.mode}}', 'a b'],
    [1, '1'],
    [undefined, 'x'],
  ] as const)('that compares %j with %j is refused', ([value, equals]) => {
    expect(codes(on(value, equals))).toEqual(['workflow.unsupported_switch /workflow/nodes/s/value']);
  });

  test.for([
    ['b', 'a', 'no'],
    ['a', 'a', 'done'],
  ] as const)('that compares the constants %j and %j passes the rules and goes to %s', async ([value, equals, target]) => {
    const { json } = on(value, equals);
    const run = await runPlain(json);
    expect(run.ids).toEqual(['a', 's', target]);
  });
});

describe('a clean-up', () => {
  test('that ends with fail is not taken for a list that passes', async () => {
    const { json } = translate(
      { a: echo(), z: echo({ next: 'end' }), end: { action: 'end', status: 'fail' } },
      { workflow: { teardown: 'z' } },
    );
    expect(json?.validate.workflow.teardown).toMatchObject([{ action: 'call', ref: '..teardown' }]);
    expect((await runPlain(json)).summary.status).toBe('fail');
  });

  test('that is only an end is nothing to do', () => {
    expect(
      translate({ a: echo(), end: done }, { workflow: { teardown: 'end' } }).json?.validate.workflow.teardown,
    ).toBeUndefined();
  });

  test('leaves the main graph, also when it branches', () => {
    const ask = { action: 'shop.ask', intent: 'Ask what is left', cases: { much: 'z' }, default: 'end' };
    const { json } = translate({ a: echo(), ask, z: echo({ next: 'end' }), end: done }, { workflow: { teardown: 'ask' } });
    expect(Object.keys(json?.validate.workflow.nodes ?? {})).toEqual(['a', 'done']);
    expect(Object.keys(json?.flows?.['..teardown']?.workflow?.nodes ?? {})).toEqual(['ask', 'z', 'end']);
  });
});

describe('a field', () => {
  test.for(['phase', 'record', 'when', 'unless', 'proofTarget', 'rw', 'body', 'save_as'])('%s of a node is refused', (field) => {
    expect(codes(translate({ a: echo({ [field]: 'x' }) }))).toEqual([`recipe.unsupported_field /workflow/nodes/a/${field}`]);
  });

  test.for(['setup', 'pre_conditions', 'playback'])('%s of the workflow is refused with what to write instead', (field) => {
    const { findings } = translate({ a: echo() }, { workflow: { [field]: [] } });
    expect(findings).toMatchObject([{ code: 'recipe.unsupported_field', path: `/workflow/${field}` }]);
    expect(findings[0]?.hint).not.toContain('Known:');
  });

  test.for(['schema_version', 'startState', 'uses', 'inputs', 'flows'])(
    '%s at the top is refused with what to write instead',
    (field) => {
      const { findings } = translate({ a: echo() }, { [field]: 1 });
      expect(findings).toMatchObject([{ code: 'recipe.unsupported_field', path: `/${field}` }]);
      expect(findings[0]?.hint).not.toContain('Known:');
    },
  );

  test('of an action may have the name of one of a call or an end', () => {
    const fields = { action: 'shop.read', ref: 'account', params: { scope: '{{params.mode}}' }, status: 'ready' };
    const { json } = translate({ a: echo(fields) }, mode);
    expect(json?.validate.workflow.nodes.a).toMatchObject({
      ref: 'account',
      params: { scope: '{{inputs.mode}}' },
      status: 'ready',
    });
  });

  test('that a run must know beforehand cannot be a reference, and that is shown where it was written', () => {
    const document = read(modern({ a: echo({ timeout_ms: '{{params.mode}}' }) }, mode));
    const { findings } = recipeV1Modern.compile(document, none);
    expect(findings).toMatchObject([{ code: 'workflow.invalid_node' }]);
    expect(document.text.split('\n')[(findings[0]?.place.line ?? 0) - 1]).toContain('"timeout_ms": "{{params.mode}}"');
  });
});

test('a node may be called __proto__, and its fields are looked at', () => {
  const named = (rest: object) => {
    const text = JSON.stringify(modern({ constructor: echo({ next: 'xx' }), xx: echo(rest) }));
    return toClassic(parse('/a.json', text.replaceAll('"xx"', '"__proto__"')), none);
  };
  expect(Object.keys(named({}).json?.validate.workflow.nodes ?? {})).toEqual(['constructor', '__proto__', 'done']);
  expect(codes(named({ phase: 'proof' }))).toEqual(['recipe.unsupported_field /workflow/nodes/__proto__/phase']);
  expect(codes(named({ next: 'toString' }))).toContain('workflow.missing_target /workflow/nodes/__proto__/next');
});

test('a chain of 5,000 nodes that read each other is translated in a moment', () => {
  const link = (i: number) =>
    echo({ stdin: i === 0 ? '' : `{{outputs.n${i - 1}.stdout}}`, next: i === 4_999 ? 'done' : `n${i + 1}` });
  const document = read(modern(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`n${i}`, link(i)]))));
  expect(cpuMs(() => void recipeV1Modern.compile(document, none))).toBeLessThan(10_000);
  const { compiled, findings } = recipeV1Modern.compile(document, none);
  expect(findings).toEqual([]);
  expect(compiled && checkRecipe(compiled, { vocabulary: officialVocabulary })).toEqual([]);
});

test('all that is wrong with the shape is said at once', () => {
  const wrong = { ...modern({ a: echo({ when: {}, next: 3 }) }), schema_version: 1, titel: 'x', $schema: 'y' };
  expect(codes(toClassic(read(wrong), none))).toEqual([
    'recipe.unsupported_schema_ref /$schema',
    'recipe.unsupported_field /schema_version',
    'recipe.unsupported_field /titel',
    'workflow.invalid_next /workflow/nodes/a/next',
    'recipe.unsupported_field /workflow/nodes/a/when',
  ]);
});
