// The translation of single parts of a modern recipe, and the parts that it refuses.
import { describe, expect, test } from 'vitest';
import { officialVocabulary } from '../../../../src/actions/vocabulary.js';
import { checkRecipe } from '../../../../src/check/checkRecipe.js';
import { recipeV1Modern, toClassic } from '../../../../src/formats/modern/compile.js';
import { cpuMs } from '../../../support/cpuMs.js';
import { runPlain } from '../../../support/plain.js';
import { done, echo, modern, type Nodes, parse, resolveNothing } from './modernFiles.js';

const read = (json: object) => parse('/a.recipe.json', JSON.stringify(json, null, 2));
const translate = (nodes: Nodes, rest: Record<string, unknown> = {}) => toClassic(read(modern(nodes, rest)), resolveNothing);
const codes = ({ findings }: { findings: { code: string; path: string }[] }) =>
  findings.map(({ code, path }) => `${code} ${path}`);
const mode = { paramsSchema: { type: 'object', properties: { mode: { type: 'string' }, list: { type: 'array' } } } };

describe('a reference to an output', () => {
  const branch = { action: 'shop.ask', intent: 'Choose a branch', cases: { left: 'left' }, default: 'right' };
  const reading = (id: string) => ({ stdin: `{{outputs.${id}.stdout}}` });

  test.for([
    ['a later node', { a: echo({ ...reading('b'), next: 'b' }), b: echo() }, '/workflow/nodes/a/stdin'],
    ['the node itself', { a: echo(reading('a')) }, '/workflow/nodes/a/stdin'],
    ['another branch', { a: branch, left: echo(), right: echo(reading('left')) }, '/workflow/nodes/right/stdin'],
    ['an unknown node', { a: echo({ argv: ['echo', 'x {{outputs.toString.y}}'] }) }, '/workflow/nodes/a/argv/1'],
  ] as const)('a reference to the output of %s is refused', ([, nodes, path]) => {
    expect(codes(translate(nodes as Nodes))).toEqual([`template.unresolved_reference ${path}`]);
  });

  test('the teardown can read outputs of the main graph, but the main graph cannot read outputs of the teardown', () => {
    const both = (a: object, z: object) =>
      translate({ a: echo(a), z: echo({ ...z, next: 'end' }), end: done }, { workflow: { teardown: 'z' } });
    expect(codes(both({}, reading('a')))).toEqual([]);
    expect(codes(both(reading('z'), {}))).toEqual(['template.unresolved_reference /workflow/nodes/a/stdin']);
  });

  test('a reference to an output in a claim is refused', () => {
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
])('%s is refused, because it is not a valid reference of modern recipes', (text) => {
  const { findings } = translate({ a: echo({ next: 'b' }), b: echo({ stdin: `so ${text} so` }) }, mode);
  expect(findings.map(({ code }) => code)).toContain('template.invalid_reference');
});

test.for(['{{.Names}}', '{{#if x}}', '{ {params.mode} }', '{{ $x }}', '{params.mode}', '}}{{'])(
  '%s is not a reference and stays unchanged',
  (text) => {
    const { json, findings } = translate({ a: echo({ stdin: text }) });
    expect(findings).toEqual([]);
    expect(json?.validate.workflow.nodes.a?.stdin).toBe(text);
  },
);

describe('a switch of a modern recipe', () => {
  const translateSwitch = (value: unknown, equals: unknown) => {
    const node = { action: 'switch', intent: 'Choose by the mode', value, equals, cases: { match: 'done' }, default: 'no' };
    return translate({ a: echo({ next: 's' }), s: node as Record<string, unknown>, no: { action: 'end', status: 'fail' } }, mode);
  };

  test.for([
    ['{{outputs.a.x}}', '{{outputs.a.y}}'],
    ['{{outputs.a.x}}', '{{params.list[0]}}'],
    ['a {{params.mode}}', 'a b'],
    [1, '1'],
    [undefined, 'x'],
  ] as const)('a switch that compares %j with %j is refused', ([value, equals]) => {
    expect(codes(translateSwitch(value, equals))).toEqual(['workflow.unsupported_switch /workflow/nodes/s/value']);
  });

  test.for([
    ['b', 'a', 'no'],
    ['a', 'a', 'done'],
  ] as const)('a switch that compares the constants %j and %j is valid and goes to %s', async ([value, equals, target]) => {
    const { json } = translateSwitch(value, equals);
    const run = await runPlain(json);
    expect(run.ids).toEqual(['a', 's', target]);
  });
});

describe('the teardown of a modern recipe', () => {
  test('a teardown that ends with "fail" fails the recipe', async () => {
    const { json } = translate(
      { a: echo(), z: echo({ next: 'end' }), end: { action: 'end', status: 'fail' } },
      { workflow: { teardown: 'z' } },
    );
    expect(json?.validate.workflow.teardown).toMatchObject([{ action: 'call', ref: '..teardown' }]);
    expect((await runPlain(json)).summary.status).toBe('fail');
  });

  test('a teardown that is only an end is dropped', () => {
    expect(
      translate({ a: echo(), end: done }, { workflow: { teardown: 'end' } }).json?.validate.workflow.teardown,
    ).toBeUndefined();
  });

  test('the nodes of a teardown with branches are not part of the main graph', () => {
    const ask = { action: 'shop.ask', intent: 'Check the rest', cases: { much: 'z' }, default: 'end' };
    const { json } = translate({ a: echo(), ask, z: echo({ next: 'end' }), end: done }, { workflow: { teardown: 'ask' } });
    expect(Object.keys(json?.validate.workflow.nodes ?? {})).toEqual(['a', 'done']);
    expect(Object.keys(json?.flows?.['..teardown']?.workflow?.nodes ?? {})).toEqual(['ask', 'z', 'end']);
  });
});

describe('a field of a modern recipe', () => {
  const classicFields = ['phase', 'record', 'when', 'unless', 'proofTarget', 'rw', 'body', 'save_as'];
  test.for(classicFields)('the classic field %s of a node is refused', (field) => {
    expect(codes(translate({ a: echo({ [field]: 'x' }) }))).toEqual([`recipe.unsupported_field /workflow/nodes/a/${field}`]);
  });

  test.for(['setup', 'pre_conditions', 'playback'])(
    'the classic field %s of the workflow is refused with a replacement',
    (field) => {
      const { findings } = translate({ a: echo() }, { workflow: { [field]: [] } });
      expect(findings).toMatchObject([{ code: 'recipe.unsupported_field', path: `/workflow/${field}` }]);
      expect(findings[0]?.hint).not.toContain('Known:');
    },
  );

  test.for(['schema_version', 'startState', 'uses', 'inputs', 'flows'])(
    'the classic field %s at the top level is refused with a replacement',
    (field) => {
      const { findings } = translate({ a: echo() }, { [field]: 1 });
      expect(findings).toMatchObject([{ code: 'recipe.unsupported_field', path: `/${field}` }]);
      expect(findings[0]?.hint).not.toContain('Known:');
    },
  );

  test('a field of an action may have the name of a field of "call" or "end"', () => {
    const fields = { action: 'shop.read', ref: 'account', params: { scope: '{{params.mode}}' }, status: 'ready' };
    const { json } = translate({ a: echo(fields) }, mode);
    expect(json?.validate.workflow.nodes.a).toMatchObject({
      ref: 'account',
      params: { scope: '{{inputs.mode}}' },
      status: 'ready',
    });
  });

  test('a reference in timeout_ms is refused at its position, because the value must be known before the run', () => {
    const document = read(modern({ a: echo({ timeout_ms: '{{params.mode}}' }) }, mode));
    const { findings } = recipeV1Modern.compile(document, resolveNothing);
    expect(findings).toMatchObject([{ code: 'workflow.invalid_node' }]);
    expect(document.text.split('\n')[(findings[0]?.place.line ?? 0) - 1]).toContain('"timeout_ms": "{{params.mode}}"');
  });
});

test('a node may have the id __proto__, and its fields are checked', () => {
  const translateProtoNode = (rest: object) => {
    const text = JSON.stringify(modern({ constructor: echo({ next: 'xx' }), xx: echo(rest) }));
    return toClassic(parse('/a.json', text.replaceAll('"xx"', '"__proto__"')), resolveNothing);
  };
  expect(Object.keys(translateProtoNode({}).json?.validate.workflow.nodes ?? {})).toEqual(['constructor', '__proto__', 'done']);
  expect(codes(translateProtoNode({ phase: 'proof' }))).toEqual(['recipe.unsupported_field /workflow/nodes/__proto__/phase']);
  expect(codes(translateProtoNode({ next: 'toString' }))).toContain('workflow.missing_target /workflow/nodes/__proto__/next');
});

test('a chain of 5,000 nodes that read each other compiles in less than ten seconds of CPU time', () => {
  const link = (i: number) =>
    echo({ stdin: i === 0 ? '' : `{{outputs.n${i - 1}.stdout}}`, next: i === 4_999 ? 'done' : `n${i + 1}` });
  const document = read(modern(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`n${i}`, link(i)]))));
  expect(cpuMs(() => void recipeV1Modern.compile(document, resolveNothing))).toBeLessThan(10_000);
  const { compiled, findings } = recipeV1Modern.compile(document, resolveNothing);
  expect(findings).toEqual([]);
  expect(compiled && checkRecipe(compiled, { vocabulary: officialVocabulary })).toEqual([]);
});

test('all errors in the shape of a modern recipe are reported at once', () => {
  const wrong = { ...modern({ a: echo({ when: {}, next: 3 }) }), schema_version: 1, titel: 'x', $schema: 'y' };
  expect(codes(toClassic(read(wrong), resolveNothing))).toEqual([
    'recipe.unsupported_schema_ref /$schema',
    'recipe.unsupported_field /schema_version',
    'recipe.unsupported_field /titel',
    'workflow.invalid_next /workflow/nodes/a/next',
    'recipe.unsupported_field /workflow/nodes/a/when',
  ]);
});
