// A small selection of cases in which recipewright must behave like the reference implementation. They need no shared corpus.
import { describe, expect, test } from 'vitest';
import { coerceArgs } from '../../../../src/formats/template/argDeclarations.js';
import { publicArgs } from '../../../../src/formats/template/publicArgs.js';
import { resolveArgv, splitCommand } from '../../../../src/formats/template/resolveArgv.js';
import { runTemplate } from '../../../../src/hosts/plain/runTemplate.js';
import { scriptedExec } from './goldens.js';

test.for([
  [`tool 'literal words' --name hello\\ world`, ['tool', 'literal words', '--name', 'hello world']],
  ['a "b\\"c"', ['a', 'b"c']],
  ['a b\\c', ['a', 'bc']],
  ["a 'b\\c'", ['a', 'b\\c']],
  ['a "b c', ['a', 'b c']],
  ['a b\\', ['a', 'b\\']],
  [`a"b c"'d e'f`, ['ab cd ef']],
  ['a "" b', ['a', '', 'b']],
  [' \t\n ', []],
  ['echo $HOME && ls | wc > x', ['echo', '$HOME', '&&', 'ls', '|', 'wc', '>', 'x']],
] as const)('%j is split into words without a shell', ([text, words]) => {
  expect(splitCommand(text)).toEqual(words);
});

describe.each([true, false])('the words of a command (compat %s)', (compat) => {
  const argv = (text: string, values = {}, options = {}) => resolveArgv(text, values, { compat, cwd: '/base', ...options });

  test.for([
    ['t {a} {b}', { a: '', b: 'x' }, ['t', 'x']],
    ['t --a={a}', { a: '' }, ['t', '--a=']],
    ['t {l=ru} {u=https://h/p?q=1:2}', {}, ['t', 'ru', 'https://h/p?q=1:2']],
    ['t {n:int=3}', {}, ['t', '3']],
    ['t {e??dev}', { e: 'no' }, ['t', 'dev']],
    ['t {all?--all:} {!all?a:b}', { all: true }, ['t', '--all', 'b']],
    ['t {p[1]} {p[i]}', { p: ['x', 'y'], i: 0 }, ['t', 'y', 'x']],
    ['t {1+2*3} {(1+2)*3} {7/2} {_(n+1)} {1/0}', { n: '4' }, ['t', '7', '9', '3', '05', 'Infinity']],
    ['t {} {a {{a}} x{a}y', { a: 'A' }, ['t', '{}', '{a', '{A}', 'xAy']],
    ['t {x=hello world}', {}, ['t', '{x=hello', 'world}']],
    ["t '{x?a b:c d}'", { x: 1 }, ['t', 'a b']],
    ['bin/x a', {}, ['/base/bin/x', 'a']],
    ['/bin/ls x', {}, ['/bin/ls', 'x']],
  ] as const)('the command %j is filled with the values %j', ([text, values, words]) => {
    expect(argv(text, values)).toEqual(words);
  });

  test.for([
    ['t {a}', 'Missing command template value: a'],
    ['t {my-name}', 'Invalid command template expression variable: my-name'],
    ['t {1+}', 'Invalid command template expression: 1+'],
    ['t {-1}', 'Invalid command template expression: -1'],
    ['', 'Command template is required'],
  ] as const)('the command %j is refused with the message of the reference', ([text, message]) => {
    expect(() => argv(text)).toThrow(message);
  });

  test('values of the caller override defaults, then args, then the default in the placeholder', () => {
    const options = { args: ['a=1'], defaults: { a: '2' } };
    expect(argv('t {a=3}', { a: '9' }, options)).toEqual(['t', '9']);
    expect(argv('t {a=3}', {}, options)).toEqual(['t', '2']);
    expect(argv('t {a=3}', {}, { args: ['a=1'] })).toEqual(['t', '1']);
    expect(argv('t {a=3}')).toEqual(['t', '3']);
  });

  test('defaults may refer to other defaults up to five levels deep', () => {
    const chain = Object.fromEntries([...'abcdef'].map((name, index) => [name, `-{${'abcdefg'[index + 1]}}`]));
    expect(argv('t {b}', {}, { defaults: { ...chain, g: 'G' } })).toEqual(['t', '-----G']);
    expect(() => argv('t {a}', {}, { defaults: { ...chain, g: 'G' } })).toThrow('Command template value recursion exceeded: g');
    expect(() => argv('t {a}', {}, { defaults: { a: 'x{b}', b: 'y{a}' } })).toThrow('recursion exceeded');
  });
});

test.for([
  ['v:int', '5', '5'],
  ['v:int', ' -3 ', '-3'],
  ['v:number', '.5', '.5'],
  ['v:bool', 'No', 'false'],
  ['v:array', '["a"]', ['a']],
  ['v:enum(a,b)', 'a', 'a'],
  ['v:path', '~/y', '~/y'],
  ['v:int', null, ''],
  ['v', 5, 5],
] as const)('the declaration %s converts the value %j', ([declaration, value, converted]) => {
  expect(coerceArgs(declaration, { v: value, other: 1 })).toEqual({ v: converted, other: 1 });
});

test.for([
  ['v:int', '5.0', 'Argument v must be an integer.'],
  ['v:number', '1e3', 'Argument v must be a number.'],
  ['v:bool', 'on', 'Argument v must be a boolean.'],
  ['v:array', 5, 'Argument v must be an array.'],
  ['v:enum(a,b)', 'A', 'Argument v must be one of: a, b.'],
  ['v:int=x', 1, 'Invalid default for v:int'],
  ['v,v', 1, 'Duplicate argument name(s): v'],
] as const)('the declaration %s refuses the value %j', ([declaration, value, message]) => {
  expect(() => coerceArgs(declaration, { v: value })).toThrow(message);
});

test('a value may have the name of an inherited property, such as constructor', () => {
  const values = JSON.parse('{ "__proto__": "p", "constructor": "c" }') as Record<string, unknown>;
  expect(Object.keys(coerceArgs('x:int', values)).sort()).toEqual(['__proto__', 'constructor']);
  expect(resolveArgv('t {__proto__} {constructor}', values)).toEqual(['t', 'p', 'c']);
});

test('the public arguments of a recipe are the declared names and the names that it reads', () => {
  const all = publicArgs({
    args: ['n:int', 'tools:string'],
    defaults: { n: 1 },
    template: ['t {n} {file} {tools?--tools:}', { when: 'on', template: 'u {x=1} {p[index]}' }],
  });
  expect(all.map(({ name, type, isRequired }) => [name, type.kind, isRequired])).toEqual([
    ['n', 'int', false],
    ['tools', 'string', true],
    ['file', 'string', true],
    ['x', 'string', false],
    ['on', 'bool', false],
  ]);
});

test('in compat, a run continues after a failure and succeeds, like the reference', async () => {
  const run = await runTemplate(['a', 'b', 'c'], {}, { compat: true, exec: scriptedExec({ a: { code: 1 }, c: { code: 3 } }) });
  expect(run).toMatchObject({ ok: true, text: '\n(no output)', details: { code: 0, command: 'a && b && c' } });
  expect(run.details?.nonCriticalFailures).toEqual([
    { code: 1, command: 'a', killed: false },
    { code: 3, command: 'c', killed: false },
  ]);
  expect(run.calls.map(({ stdin }) => stdin?.toString())).toEqual([undefined, '', 'out(b)']);
});

test('the outputs of parallel branches are joined with a header line for each', async () => {
  const template = { parallel: true, template: [{ label: 'ok', template: 'a' }, 'b'] };
  const run = await runTemplate(template, {}, { compat: true, exec: scriptedExec({ b: { code: 7, stderr: 'e' } }) });
  expect(run.text).toBe('\n--- branch: ok status: done ---\nout(a)\n--- branch: branch 2 status: failed ---\nexit: 7\nstderr: e');
  expect(run.details?.softQuorum).toEqual({ coverage: 0.5, degraded: true, done: 1, expected: 2, failed: 1, usable: true });
});
