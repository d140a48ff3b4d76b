// What a recipe is given, by whom, of which type, and what is refused before anything runs (spec §4.1).
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../../src/registry/setup.js';
import { wellKnownInputs } from '../../../../src/run/inputs/resolveInputs.js';
import { ownAction } from '../../../support/ownSetup.js';
import { recipeOf } from '../../../support/plain.js';
import { type Added, runExtended } from '../../../support/runExtended.js';

/** Gives back what its field became. */
const setup = defineSetup({ actions: [ownAction('shop.show', ({ value }) => ({ output: { value } }))] });
const showing = (inputs: object, value: unknown = '{{inputs.x}}') =>
  recipeOf({ first: { action: 'shop.show', value, next: 'done' } }, { inputs });
const run = (inputs: object, added: Added = {}, value?: unknown) =>
  runExtended(showing(inputs, value), { env: {}, setup, ...added });
const config = (inputs: object) => ({ 'recipewright.config.mjs': `export default { inputs: ${JSON.stringify(inputs)} };` });
const shown = ({ trace }: { trace: readonly { output?: unknown }[] }) => (trace[0]?.output as { value?: unknown })?.value;

test('the program beats --input, which beats the environment, the config and the default, and the summary says who gave it', async () => {
  const given: (readonly [string, Added])[] = [
    ['recipe', {}],
    ['config', { files: config({ x: 'config' }) }],
    ['env', { env: { RECIPE_INPUT_X: 'env' } }],
    ['cli', { inputTexts: new Map([['x', 'cli']]) }],
    ['api', { inputs: { x: 'api' } }],
  ];
  let all: Added = {};
  for (const [origin, added] of given) {
    all = { ...all, ...added };
    const result = await run({ x: 'recipe' }, all);
    expect(shown(result)).toBe(origin);
    expect(result.summary).toMatchObject({ inputs: { x: { value: origin, origin } } });
  }
});

describe('a text becomes what the input is', () => {
  test.for([
    ['string', '42', '42'],
    ['string', '', ''],
    ['number', '4.5e1', 45],
    ['boolean', 'false', false],
    ['json', '{"a":[1,null]}', { a: [1, null] }],
    ['json', '"text"', 'text'],
  ] as const)('%s %s', async ([type, text, value]) => {
    const result = await run({ x: { type } }, { inputTexts: new Map([['x', text]]) });
    expect(shown(result)).toEqual(value);
  });

  test('and a literal says by itself what it is', async () => {
    for (const [literal, text, value] of [
      [1, '2', 2],
      [true, 'false', false],
      ['a', '2', '2'],
      [[1], '[2]', [2]],
    ] as const)
      expect(shown(await run({ x: literal }, { inputTexts: new Map([['x', text]]) }))).toEqual(value);
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
  ] as const)('or is refused with its origin: %s %j', async ([type, text]) => {
    const cli = await run({ x: { type } }, { inputTexts: new Map([['x', text]]) });
    expect({ refused: cli.refused, exitCode: cli.exitCode }).toEqual({ refused: ['inputs.invalid_value'], exitCode: 2 });
    expect(cli.findings[0]).toMatchObject({ path: '/inputs/x', message: expect.stringContaining('--input x') });
    const env = await run({ x: { type } }, { env: { RECIPE_INPUT_X: text } });
    expect(env.findings[0]?.message).toContain('RECIPE_INPUT_X');
  });

  test('which a config must get right in the first place', async () => {
    const { refused, findings } = await run({ x: { type: 'number' } }, { files: config({ x: '4' }) });
    expect(refused).toEqual(['inputs.invalid_value']);
    expect(findings[0]?.message).toContain('The config gives the input "x" as "4"');
  });
});

describe('an input', () => {
  test('without a value is refused with the ways to give one', async () => {
    const { refused, findings, exitCode } = await run({ x: { type: 'string' } });
    expect({ refused, exitCode }).toEqual({ refused: ['inputs.missing_value'], exitCode: 2 });
    expect(findings[0]?.hint).toMatch(/--input x=.*RECIPE_INPUT_X/);
  });

  test('that is not required and not given is missing, so that a gate can ask for it', async () => {
    const when = { source: 'inputs', path: '$.x', operator: 'exists' };
    const recipe = recipeOf(
      { first: { action: 'shop.show', value: 'given', when, next: 'done' } },
      { inputs: { x: { type: 'string', required: false } } },
    );
    expect((await runExtended(recipe, { env: {}, setup })).trace[0]?.output).toMatchObject({ skipped: true });
    expect(shown(await runExtended(recipe, { env: {}, setup, inputs: { x: 'a' } }))).toBe('given');
  });

  test('is one of its enum, by whoever gives it', async () => {
    const x = { type: 'string', enum: ['north', 'south'] };
    expect(shown(await run({ x }, { inputs: { x: 'south' } }))).toBe('south');
    const { refused, findings } = await run({ x }, { inputs: { x: 'west' } });
    expect(refused).toEqual(['inputs.invalid_value']);
    expect(findings[0]?.message).toContain('["north","south"]');
  });

  test('that nobody declares is refused with the nearest one', async () => {
    for (const added of [{ inputTexts: new Map([['shpo', 'a']]) }, { inputs: { shpo: 'a' } }]) {
      const { refused, findings } = await run({ shop: 'north' }, added, 'x');
      expect(refused).toEqual(['inputs.unknown_input']);
      expect(findings[0]?.hint).toContain('shop');
    }
  });

  test('keeps its type in a whole reference, is text inside of one, and is never expanded again', async () => {
    const inputs = { x: { a: [1, { b: '{{inputs.y}}' }] }, y: 'secret plan' };
    expect(shown(await run(inputs, {}, ['{{inputs.x.a}}', 'is {{x}}']))).toEqual([
      [1, { b: '{{inputs.y}}' }],
      'is {"a":[1,{"b":"{{inputs.y}}"}]}',
    ]);
  });

  test('is found by variables that shells can spell', async () => {
    const result = await run({ 'base-url': 'a' }, { env: { RECIPE_INPUT_BASE_URL: 'b' } }, '{{base-url}}');
    expect(shown(result)).toBe('b');
  });
});

describe('the well-known inputs', () => {
  const names = ['slot_id', 'runtime_dir', 'artifact_dir', 'cdp_port', 'port', 'simulator', 'adb_serial'];

  test('are the seven of the Runner Protocol, and need no declaration once given', async () => {
    expect([...wellKnownInputs]).toEqual(names);
    const env = Object.fromEntries(names.map((name) => [`RECIPE_INPUT_${name.toUpperCase()}`, '9222']));
    const result = await run({}, { env }, Object.fromEntries(names.map((name) => [name, `{{${name}}}`])));
    const ports = { cdp_port: 9222, port: 9222 };
    expect(shown(result)).toEqual({ ...Object.fromEntries(names.map((name) => [name, '9222'])), ...ports });
  });

  test('are unresolved references when nobody gave them, and refused when they cannot be what they are', async () => {
    expect((await run({}, {}, '{{slot_id}}')).refused).toEqual(['template.unresolved_reference']);
    expect((await run({}, { env: { RECIPE_INPUT_CDP_PORT: 'none' } }, 'x')).refused).toEqual(['inputs.invalid_value']);
  });

  test('are what the recipe says when it declares one itself', async () => {
    const result = await run({ port: 'eighty' }, { env: { RECIPE_INPUT_PORT: '81' } }, '{{port}}');
    expect(shown(result)).toBe('81');
  });
});
