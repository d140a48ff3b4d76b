// Template recipes compiled to Recipe v1: the compiled form and the origin of each kind of node.
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../../src/document/readDocument.js';
import { template } from '../../../../src/formats/template/compile.js';
import { toRecipeV1 } from '../../../../src/formats/template/toRecipeV1.js';

type Node = Record<string, unknown> & { body: { nodes: Record<string, Node> }; rw?: Record<string, unknown>; intent: string };

function compile(recipe: object, options = {}) {
  const { json, authored } = toRecipeV1({ name: 'a', template: recipe }, options);
  const { nodes } = (json.validate as { workflow: { nodes: Record<string, Node> } }).workflow;
  return { json, authored, root: nodes.template as Node, nodes };
}

const onFail = (node: Node): unknown => node.rw?.on_fail ?? 'stop';
const onFailOfSteps = (recipe: object, options = {}): unknown[] =>
  Object.values(compile(recipe, options).root.body.nodes).map(onFail);

describe('a compiled template', () => {
  test('a command compiles to a node with its authored words and values from the inputs', () => {
    const { root, json } = compile({
      args: ['n:int', 'm:enum(a,b)'],
      defaults: { n: 1, unused: 2 },
      template: 'tool {n} {file}',
    });
    expect(root).toEqual({
      ...{ action: 'rw.exec', intent: 'Run tool {n} {file}', argv: ['tool', '{n}', '{file}'], defaults: { n: 1 } },
      ...{ args: ['n:int', 'm:enum(a,b)'], timeout_ms: 86_400_000, rw: { in: { values: { source: 'inputs' } } }, next: 'done' },
    });
    expect(json.inputs).toEqual({
      n: { type: 'number', required: false },
      m: { type: 'string', enum: ['a', 'b'] },
      file: { type: 'string' },
    });
  });

  test('a sequence compiles to a pipe, and a parallel node to named branches', () => {
    const { root } = compile(['a', { parallel: true, concurrency: 2, template: [{ label: 'one', template: 'b' }, 'c'] }]);
    expect(root).toMatchObject({ action: 'rw.group', order: 'in_turn', pipe: true });
    expect(root.body.nodes['step-2']).toMatchObject({ order: 'together', pipe: true, limit: 2, join: ['one', 'branch 2'] });
    expect(root.body.nodes['step-2']?.body.nodes['step-1']?.intent).toBe('one: run b');
  });

  test.for([
    [
      ['a', 'b'],
      ['note', 'note'],
    ],
    [
      [{ failure: 'continue', template: 'a' }, 'b'],
      ['continue', 'note'],
    ],
    [
      ['a', { failure: 'branch', template: 'b' }, { failure: 'root', template: 'c' }],
      ['note', 'stop', 'abort'],
    ],
    [{ failure: 'continue', template: ['a', { failure: 'branch', template: 'b' }] }, ['continue', 'stop']],
    [{ failure: 'branch', template: ['a', { failure: 'continue', template: 'b' }] }, ['stop', 'stop']],
    [{ failure: 'root', template: ['a'] }, ['abort']],
    [{ parallel: true, template: ['a', { failure: 'branch', template: ['b', 'c'] }] }, ['note', 'note']],
    [{ parallel: true, failure: 'branch', template: ['a', 'b'] }, ['stop', 'stop']],
    [
      [{ template: ['a'] }, 'b'],
      ['stop', 'note'],
    ],
    [{ retry: 2, template: ['a', 'b'] }, ['note', 'note']],
  ] as const)('the steps of %j get the on_fail of their failure fields', ([recipe, expected]) => {
    expect(onFailOfSteps(recipe)).toEqual(expected);
  });

  test('in compat, the recipe continues after a failure of a step without a failure field', () => {
    expect(onFailOfSteps(['a', { failure: 'branch', template: 'b' }], { compat: true })).toEqual(['continue', 'stop']);
  });

  test('"failure": "continue" of a node also applies to its nested steps', () => {
    const { root } = compile({ failure: 'continue', template: [{ parallel: true, template: ['a'] }, 'b'] });
    expect(onFail(root.body.nodes['step-1']?.body.nodes['step-1'] as Node)).toBe('continue');
  });

  test('a repetition by number compiles to one step per round, and a repetition over a list to rw.each', () => {
    const { root } = compile({ repeat: 2, template: 'a {index}' });
    expect(Object.values(root.body.nodes).map(({ round }) => round)).toEqual([
      { index: 0, repeat: 2 },
      { index: 1, repeat: 2 },
    ]);
    const listed = compile({
      defaults: { who: ['x'], p: '{who}' },
      parallel: true,
      repeat: '{p.length}',
      template: 'a {p[index]}',
    });
    expect(listed.root).toMatchObject({ action: 'rw.each', rw: { in: { items: { source: 'inputs', path: "$['who']" } } } });
    expect(listed.root).not.toHaveProperty('timeout_ms');
    expect(listed.root.body.nodes.round).toMatchObject({
      round: { repeat: '{who.length}' },
      defaults: { who: ['x'], p: '{who}' },
    });
    expect(listed.json.inputs).toMatchObject({ who: { type: 'json', default: ['x'] } });
  });

  test('a retry with a recovery compiles to a retry with a group', () => {
    const { root } = compile({ retry: 3, recover: ['fix', 'check'], template: 'a' });
    expect(root.rw).toMatchObject({ retry: { max: 3, recover: { action: 'rw.group', order: 'in_turn' } } });
  });

  test('delays and timeouts compile to fields of the command, also with placeholders', () => {
    const { root } = compile({
      delay: 5,
      template: [
        { delay: '{d}', timeout: '{t}', template: 'a' },
        { timeout: 9, template: 'b' },
      ],
    });
    expect(root.body.nodes['step-1']).toMatchObject({ delays: [5, '{d}'], timeout: '{t}', timeout_ms: 86_400_000 });
    expect(root.body.nodes['step-2']).toMatchObject({ timeout: 9, timeout_ms: 10_009 });
    expect(root.body.nodes['step-2']).not.toHaveProperty('delays');
  });

  test.for([
    [{ timeout: 86_400_000, template: 'a' }, 86_400_000],
    [{ timeout: 86_399_999, template: 'a' }, 86_400_000],
    [{ delay: 11_500, timeout: 500, template: 'a' }, 22_000],
    [{ delay: '11500', timeout: '500', template: 'a' }, 22_000],
    [{ delay: '{d}', timeout: 500, template: 'a' }, 86_400_000],
    [{ delay: 11_500, template: 'a' }, 86_400_000],
    [{ delay: 700, timeout: 500, template: ['a'] }, 1_200],
    [{ delay: 5, timeout: 86_400_000, template: ['a'] }, 86_400_000],
  ] as const)('the timeout of the node for %j is %i ms', ([recipe, ms]) => {
    expect(compile(recipe).root.timeout_ms).toBe(ms);
  });

  test('values that a recipe sets for its import are not inputs', () => {
    const { root, json } = compile([
      { values: { scope: 'docs', lens: '{lens}' }, defaults: { scope: 'docs' }, template: 'review {scope} {lens}' },
    ]);
    expect(root.body.nodes['step-1']).toMatchObject({ set: { scope: 'docs' } });
    expect(Object.keys(json.inputs as object)).toEqual(['lens']);
  });

  test.for([
    [{ when: 'x == 1', template: 'a' }, 'template.unsupported_when'],
    [{ failure: 'stop', template: 'a' }, 'template.invalid_failure'],
    [{ repeat: '{n}', template: 'a' }, 'template.invalid_repeat'],
    [{ repeat: '99999999999', template: 'a' }, 'template.too_many_rounds'],
    [{ retry: 0, template: 'a' }, 'template.invalid_number'],
    ["bash -lc 'cd {scope}'", 'template.value_as_code'],
    ['node -e {code}', 'template.value_as_code'],
    ['echo {{a}}', 'template.double_braces'],
    [{ parallel: true, min_successful: 3, template: ['a', 'b'] }, 'template.too_many_successes'],
    [{ parallel: true, min_successful: '{n}', template: ['a', 'b'] }, 'template.unsupported_field'],
    [{ retry: '{n}', template: 'a' }, 'template.unsupported_field'],
    [{ timeout: '{t}', template: ['a'] }, 'template.unsupported_field'],
    [{ timeout: 500, delay: '{d}', template: ['a'] }, 'template.unsupported_field'],
    ['{program} x', 'template.value_as_code'],
  ] as const)('the template %j is refused with %s', ([recipe, code]) => {
    expect(() => toRecipeV1({ name: 'a', template: recipe })).toThrow(expect.objectContaining({ code }));
  });

  test('the directory of a program and of its files may be a value', () => {
    expect(compile({ template: '{repo}/scripts/x.mjs {out}' }).root).toMatchObject({ argv: ['{repo}/scripts/x.mjs', '{out}'] });
    expect(compile({ template: 'node {repo}/x.mjs' }).root).toMatchObject({ action: 'rw.exec' });
  });
});

describe('the dialect of template recipes', () => {
  const read = (text: string) => {
    const { document } = readDocument('/p/a.template.json', Buffer.from(text));
    if (!document) throw new Error('no document');
    return document;
  };
  const resolveNothing = () => ({ problem: 'there are no imports.' });

  test.for([
    ['{ "template": "x" }', true],
    ['{ "template": "x", "validate": {} }', false],
    ['{ "description": "x" }', false],
    ['["template"]', false],
  ] as const)('the detection of %j as a template recipe returns %s', ([text, expected]) => {
    expect(template.detect(read(text))).toBe(expected);
  });

  test.for([
    ['{ "template": [] }', 'template.nothing_to_run', 3],
    ['{ "template": [["a"], "b"] }', 'template.nothing_to_run', 3],
    ['{ "disabled": true, "template": "x" }', 'template.disabled', 3],
    ['{ "template": ["a", { "name": "nope" }] }', 'template.unknown_import', 23],
    ['{ "imports": { "a": "gone" }, "template": { "name": "a" } }', 'template.import_not_found', 16],
    ['{ "template": ["a", { "template": ["sh -c {x}"] }] }', 'template.value_as_code', 36],
  ] as const)('the template recipe %j has the finding %s at column %i', ([text, code, column]) => {
    const { compiled, findings } = template.compile(read(text), resolveNothing);
    expect(compiled).toBeUndefined();
    expect(findings.map((finding) => [finding.code, finding.place.column])).toEqual([[code, column]]);
    expect(findings[0]?.message).toMatch(/\S.*[^\s]$/);
  });

  test('a template recipe larger than the size limit is refused', () => {
    const { findings } = template.compile(read(`{ "template": "x"${' '.repeat(1_048_576)}}`), resolveNothing);
    expect(findings).toMatchObject([{ code: 'template.too_large' }]);
  });

  test('a recipe of a single command compiles, and its node has the position of the command', () => {
    const { compiled, findings } = template.compile(read('{\n  "timeout": 5,\n  "template": "echo hi"\n}'), resolveNothing);
    expect(findings).toEqual([]);
    expect(compiled?.recipe.nodes.get('template')).toMatchObject({
      action: 'rw.exec',
      fields: { timeout: 5 },
      timeoutMs: 10_005,
    });
    expect(compiled?.origin('/validate/workflow/nodes/template/argv')).toMatchObject({ line: 3, column: 3 });
    expect(compiled?.authored?.('/validate/workflow/nodes/template')).toBe('/template');
  });
});
