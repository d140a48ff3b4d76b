// Template recipes as Recipe v1: what is made of each kind of node, and where it says it was written.
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../../src/document/readDocument.js';
import { template } from '../../../../src/formats/template/compile.js';
import { toRecipeV1 } from '../../../../src/formats/template/toRecipeV1.js';

type Node = Record<string, unknown> & { body: { nodes: Record<string, Node> }; rw?: Record<string, unknown>; intent: string };

function compiled(recipe: object, options = {}) {
  const { json, authored } = toRecipeV1({ name: 'a', template: recipe }, options);
  const { nodes } = (json.validate as { workflow: { nodes: Record<string, Node> } }).workflow;
  return { json, authored, root: nodes.template as Node, nodes };
}

const onFail = (node: Node): unknown => node.rw?.on_fail ?? 'stop';
const fates = (recipe: object, options = {}): unknown[] => Object.values(compiled(recipe, options).root.body.nodes).map(onFail);

describe('a compiled template', () => {
  test('has a leaf with its words as they were written, filled from the inputs', () => {
    const { root, json } = compiled({
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

  test('has pipes for sequences and named branches for what is parallel', () => {
    const { root } = compiled(['a', { parallel: true, concurrency: 2, template: [{ label: 'one', template: 'b' }, 'c'] }]);
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
  ] as const)('%j fails as far as its author says', ([recipe, expected]) => {
    expect(fates(recipe)).toEqual(expected);
  });

  test('passes over what is unmarked when the verdict of the reference is asked for', () => {
    expect(fates(['a', { failure: 'branch', template: 'b' }], { compat: true })).toEqual(['continue', 'stop']);
  });

  test('allows failures all the way down where its author does', () => {
    const { root } = compiled({ failure: 'continue', template: [{ parallel: true, template: ['a'] }, 'b'] });
    expect(onFail(root.body.nodes['step-1']?.body.nodes['step-1'] as Node)).toBe('continue');
  });

  test('unrolls a number of rounds, and runs over a list that is an input', () => {
    const { root } = compiled({ repeat: 2, template: 'a {index}' });
    expect(Object.values(root.body.nodes).map(({ round }) => round)).toEqual([
      { index: 0, repeat: 2 },
      { index: 1, repeat: 2 },
    ]);
    const listed = compiled({
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

  test('tries again with a recovery in between', () => {
    const { root } = compiled({ retry: 3, recover: ['fix', 'check'], template: 'a' });
    expect(root.rw).toMatchObject({ retry: { max: 3, recover: { action: 'rw.group', order: 'in_turn' } } });
  });

  test('waits and ends as its author says, values included', () => {
    const { root } = compiled({
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
  ] as const)('%j has the time it waits and the time it may take: %i ms', ([recipe, ms]) => {
    expect(compiled(recipe).root.timeout_ms).toBe(ms);
  });

  test('keeps what a recipe sets for its import away from the caller', () => {
    const { root, json } = compiled([
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
  ] as const)('%j is refused with %s', ([recipe, code]) => {
    expect(() => toRecipeV1({ name: 'a', template: recipe })).toThrow(expect.objectContaining({ code }));
  });

  test('may name the place of a program and of its files by a value', () => {
    expect(compiled({ template: '{repo}/scripts/x.mjs {out}' }).root).toMatchObject({ argv: ['{repo}/scripts/x.mjs', '{out}'] });
    expect(compiled({ template: 'node {repo}/x.mjs' }).root).toMatchObject({ action: 'rw.exec' });
  });
});

describe('the dialect', () => {
  const read = (text: string) => {
    const { document } = readDocument('/p/a.template.json', Buffer.from(text));
    if (!document) throw new Error('no document');
    return document;
  };
  const nothing = () => ({ problem: 'there is none.' });

  test.for([
    ['{ "template": "x" }', true],
    ['{ "template": "x", "validate": {} }', false],
    ['{ "description": "x" }', false],
    ['["template"]', false],
  ] as const)('%j is a template recipe: %s', ([text, expected]) => {
    expect(template.detect(read(text))).toBe(expected);
  });

  test.for([
    ['{ "template": [] }', 'template.nothing_to_run', 3],
    ['{ "template": [["a"], "b"] }', 'template.nothing_to_run', 3],
    ['{ "disabled": true, "template": "x" }', 'template.disabled', 3],
    ['{ "template": ["a", { "name": "nope" }] }', 'template.unknown_import', 23],
    ['{ "imports": { "a": "gone" }, "template": { "name": "a" } }', 'template.import_not_found', 16],
    ['{ "template": ["a", { "template": ["sh -c {x}"] }] }', 'template.value_as_code', 36],
  ] as const)('%j has the finding %s at column %i', ([text, code, column]) => {
    const { compiled: made, findings } = template.compile(read(text), nothing);
    expect(made).toBeUndefined();
    expect(findings.map((finding) => [finding.code, finding.place.column])).toEqual([[code, column]]);
    expect(findings[0]?.message).toMatch(/\S.*[^\s]$/);
  });

  test('refuses a file that is longer than a recipe may be', () => {
    const { findings } = template.compile(read(`{ "template": "x"${' '.repeat(1_048_576)}}`), nothing);
    expect(findings).toMatchObject([{ code: 'template.too_large' }]);
  });

  test('compiles a single command, and knows where it was written', () => {
    const { compiled: made, findings } = template.compile(read('{\n  "timeout": 5,\n  "template": "echo hi"\n}'), nothing);
    expect(findings).toEqual([]);
    expect(made?.recipe.nodes.get('template')).toMatchObject({ action: 'rw.exec', fields: { timeout: 5 }, timeoutMs: 10_005 });
    expect(made?.origin('/validate/workflow/nodes/template/argv')).toMatchObject({ line: 3, column: 3 });
    expect(made?.authored?.('/validate/workflow/nodes/template')).toBe('/template');
  });
});
