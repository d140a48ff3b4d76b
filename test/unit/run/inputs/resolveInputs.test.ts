// The sources and types of inputs, and the values that are refused before the run (spec §4.1).
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../../src/registry/setup.js';
import { wellKnownInputs } from '../../../../src/run/inputs/resolveInputs.js';
import { ownAction } from '../../../support/ownSetup.js';
import { recipeOf } from '../../../support/plain.js';
import { type Added, runExtended } from '../../../support/runExtended.js';

/** The action returns its field, with the references expanded. */
const setup = defineSetup({ actions: [ownAction('shop.show', ({ value }) => ({ output: { value } }))] });
const showing = (inputs: object, value: unknown = '{{inputs.x}}') =>
  recipeOf({ first: { action: 'shop.show', value, next: 'done' } }, { inputs });
const run = (inputs: object, added: Added = {}, value?: unknown) =>
  runExtended(showing(inputs, value), { env: {}, setup, ...added });
const config = (inputs: object) => ({ 'recipewright.config.mjs': `export default { inputs: ${JSON.stringify(inputs)} };` });
const valueIn = ({ trace }: { trace: readonly { output?: unknown }[] }) => (trace[0]?.output as { value?: unknown })?.value;

test('an input comes from the program, then --input, the environment, the config and the default, and the summary names the source', async () => {
  const sources: (readonly [string, Added])[] = [
    ['recipe', {}],
    ['config', { files: config({ x: 'config' }) }],
    ['env', { env: { RECIPE_INPUT_X: 'env' } }],
    ['cli', { inputTexts: new Map([['x', 'cli']]) }],
    ['api', { inputs: { x: 'api' } }],
  ];
  let all: Added = {};
  for (const [origin, added] of sources) {
    all = { ...all, ...added };
    const result = await run({ x: 'recipe' }, all);
    expect(valueIn(result)).toBe(origin);
    expect(result.summary).toMatchObject({ inputs: { x: { value: origin, origin } } });
  }
});

describe('a string from the command line or the environment', () => {
  test.for([
    ['string', '42', '42'],
    ['string', '', ''],
    ['number', '4.5e1', 45],
    ['boolean', 'false', false],
    ['json', '{"a":[1,null]}', { a: [1, null] }],
    ['json', '"text"', 'text'],
  ] as const)('a %s input parses the string %j', async ([type, text, value]) => {
    const result = await run({ x: { type } }, { inputTexts: new Map([['x', text]]) });
    expect(valueIn(result)).toEqual(value);
  });

  test('an input that is declared by a literal parses strings by the type of the literal', async () => {
    for (const [literal, text, value] of [
      [1, '2', 2],
      [true, 'false', false],
      ['a', '2', '2'],
      [[1], '[2]', [2]],
    ] as const)
      expect(valueIn(await run({ x: literal }, { inputTexts: new Map([['x', text]]) }))).toEqual(value);
  });

  test.for([
    ['number', 'abc'],
    ['number', ''],
    ['number', '"4"'],
    ['number', '0x10'],
    ['boolean', 'yes'],
    ['boolean', '1'],
    ['boolean', 'null'],
    ['json', '{a:1}'],
  ] as const)('a %s input refuses the string %j and names its source', async ([type, text]) => {
    const cli = await run({ x: { type } }, { inputTexts: new Map([['x', text]]) });
    expect({ refused: cli.refused, exitCode: cli.exitCode }).toEqual({ refused: ['inputs.invalid_value'], exitCode: 2 });
    expect(cli.findings[0]).toMatchObject({ path: '/inputs/x', message: expect.stringContaining('--input x') });
    const env = await run({ x: { type } }, { env: { RECIPE_INPUT_X: text } });
    expect(env.findings[0]?.message).toContain('RECIPE_INPUT_X');
  });

  test('a value of the config with the wrong type is refused and not parsed', async () => {
    const { refused, findings } = await run({ x: { type: 'number' } }, { files: config({ x: '4' }) });
    expect(refused).toEqual(['inputs.invalid_value']);
    expect(findings[0]?.message).toBe('The config sets the input "x" to "4", but the input needs a number.');
  });
});

describe('an input', () => {
  test('an input without a value is refused, and the hint names the ways to set it', async () => {
    const { refused, findings, exitCode } = await run({ x: { type: 'string' } });
    expect({ refused, exitCode }).toEqual({ refused: ['inputs.missing_value'], exitCode: 2 });
    expect(findings[0]?.hint).toMatch(/--input x=.*RECIPE_INPUT_X/);
  });

  test('a gate can test whether an optional input has a value', async () => {
    const when = { source: 'inputs', path: '$.x', operator: 'exists' };
    const recipe = recipeOf(
      { first: { action: 'shop.show', value: 'given', when, next: 'done' } },
      { inputs: { x: { type: 'string', required: false } } },
    );
    expect((await runExtended(recipe, { env: {}, setup })).trace[0]?.output).toMatchObject({ skipped: true });
    expect(valueIn(await runExtended(recipe, { env: {}, setup, inputs: { x: 'a' } }))).toBe('given');
  });

  test('an input refuses a value that is not in its enum', async () => {
    const x = { type: 'string', enum: ['north', 'south'] };
    expect(valueIn(await run({ x }, { inputs: { x: 'south' } }))).toBe('south');
    const { refused, findings } = await run({ x }, { inputs: { x: 'west' } });
    expect(refused).toEqual(['inputs.invalid_value']);
    expect(findings[0]?.message).toContain('["north","south"]');
  });

  test('an undeclared input is refused, and the hint suggests the nearest name', async () => {
    for (const added of [{ inputTexts: new Map([['shpo', 'a']]) }, { inputs: { shpo: 'a' } }]) {
      const { refused, findings } = await run({ shop: 'north' }, added, 'x');
      expect(refused).toEqual(['inputs.unknown_input']);
      expect(findings[0]?.hint).toContain('shop');
    }
  });

  test('a reference that is the whole string keeps the type of the input, and references in values are not expanded', async () => {
    const inputs = { x: { a: [1, { b: '{{inputs.y}}' }] }, y: 'secret plan' };
    expect(valueIn(await run(inputs, {}, ['{{inputs.x.a}}', 'is {{x}}']))).toEqual([
      [1, { b: '{{inputs.y}}' }],
      'is {"a":[1,{"b":"{{inputs.y}}"}]}',
    ]);
  });

  test('the environment variable of an input has only characters that shells allow', async () => {
    const result = await run({ 'base-url': 'a' }, { env: { RECIPE_INPUT_BASE_URL: 'b' } }, '{{base-url}}');
    expect(valueIn(result)).toBe('b');
  });
});

describe('the well-known inputs', () => {
  const names = ['slot_id', 'runtime_dir', 'artifact_dir', 'cdp_port', 'port', 'simulator', 'adb_serial'];

  test('the seven well-known inputs of the Runner Protocol need no declaration when they have values', async () => {
    expect([...wellKnownInputs]).toEqual(names);
    const env = Object.fromEntries(names.map((name) => [`RECIPE_INPUT_${name.toUpperCase()}`, '9222']));
    const result = await run({}, { env }, Object.fromEntries(names.map((name) => [name, `{{${name}}}`])));
    const ports = { cdp_port: 9222, port: 9222 };
    expect(valueIn(result)).toEqual({ ...Object.fromEntries(names.map((name) => [name, '9222'])), ...ports });
  });

  test('a reference to a well-known input without a value and a well-known input of the wrong type are refused', async () => {
    expect((await run({}, {}, '{{slot_id}}')).refused).toEqual(['template.unresolved_reference']);
    expect((await run({}, { env: { RECIPE_INPUT_CDP_PORT: 'none' } }, 'x')).refused).toEqual(['inputs.invalid_value']);
  });

  test('a recipe that declares a well-known input sets its type', async () => {
    const result = await run({ port: 'eighty' }, { env: { RECIPE_INPUT_PORT: '81' } }, '{{port}}');
    expect(valueIn(result)).toBe('81');
  });
});
