// Runs of modern recipes: references to outputs, cases that an action returns, recipes of a library, and nodes with several claims.
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipeOf } from '../../support/plain.js';
import { type Added, runExtended } from '../../support/runExtended.js';
import { done, modern, type Nodes } from '../formats/modern/modernFiles.js';

const order = { id: 7, items: [{ sku: 'a' }, { sku: 'b' }], text: '{{outputs.make.id}} $(id)' };
const setup = defineSetup({
  actions: [
    ownAction('shop.make', () => ({ output: order })),
    ownAction('shop.show', ({ value }) => ({ output: { value } })),
    ownAction('shop.choose', ({ case: name }) => ({ output: { name }, ...(typeof name === 'string' ? { case: name } : {}) })),
  ],
});
const node = (action: string, rest: object = {}) => ({ action, intent: 'Do what this step is for', next: 'done', ...rest });
const run = (nodes: Nodes, rest: Record<string, unknown> = {}, added: Added = {}) =>
  runExtended(modern(nodes, rest), { setup, ...added });

describe('a reference to an output', () => {
  const expand = async (value: unknown) => {
    const result = await run({ make: node('shop.make', { next: 'show' }), show: node('shop.show', { value }) });
    return (result.trace[1]?.output as { value?: unknown } | undefined)?.value ?? result.summary.reason;
  };

  test('a reference to an output keeps the type of the value, except inside a longer string', async () => {
    expect(await expand('{{outputs.make.id}}')).toBe(7);
    expect(await expand(['{{outputs.make.items[1]}}', { n: '{{outputs.make.id}}' }])).toEqual([{ sku: 'b' }, { n: 7 }]);
    expect(await expand('order {{outputs.make.id}} has {{outputs.make.items[0].sku}}')).toBe('order 7 has a');
  });

  test('references inside an output are not expanded, and an output never reaches a shell as code', async () => {
    expect(await expand('{{outputs.make.text}}')).toBe(order.text);
    const { trace } = await run({
      make: node('shop.make', { next: 'say' }),
      say: node('command', { cmd: 'echo {{outputs.make.text}}' }),
    });
    expect(trace[1]?.output).toMatchObject({ stdout: `${order.text}\n` });
  });

  test('a reference to a missing output fails its node, and teardown runs', async () => {
    const clean = { ...node('command', { cmd: 'echo clean > left' }), next: 'end' };
    const { trace, summary, read } = await run(
      {
        make: node('shop.make', { next: 'show' }),
        show: node('shop.show', { value: '{{outputs.make.none}}' }),
        clean,
        end: done,
      },
      { workflow: { teardown: 'clean' } },
    );
    expect(summary.status).toBe('fail');
    expect(trace[1]?.error).toMatch(/missing|no value/);
    expect(read('left')).toBe('clean\n');
  });

  test('a reference to an output is expanded in the expected value of an assertion', async () => {
    const check = (value: string) =>
      run({
        make: node('shop.make', { next: 'say' }),
        say: node('command', { argv: ['echo', '7'], next: 'check' }),
        check: node('assert_output', { source: 'say', contains: value }),
      });
    expect((await check('{{outputs.make.id}}\n')).summary.status).toBe('pass');
    expect((await check('{{outputs.make.text}}')).summary.status).toBe('fail');
  });
});

describe('an action that returns a case', () => {
  const runWithCase = (name: unknown, rest: object = {}) => {
    const { next: _, ...find } = node('shop.choose', { case: name, cases: { found: 'done', several: 'unsure' }, ...rest });
    return run({ find, unsure: { action: 'end', status: 'unknown' }, lost: { action: 'end', status: 'fail' } });
  };

  test('a run continues with the node of the case that the action returned', async () => {
    expect((await runWithCase('found', { default: 'lost' })).ids).toEqual(['find', 'done']);
    expect((await runWithCase('several', { default: 'lost' })).summary.status).toBe('unknown');
  });

  test.for(['other', 'toString', '__proto__', 'default', undefined])(
    'a run continues with the default for the unknown case %s',
    async (name) => {
      expect((await runWithCase(name, { default: 'lost' })).ids).toEqual(['find', 'lost']);
    },
  );

  test('modern cases without a default are refused, and a classic node without a default fails for an unknown case', async () => {
    expect((await runWithCase('other')).refused).toEqual(['workflow.invalid_transition_shape']);
    const classic = recipeOf({ find: { action: 'shop.choose', case: 'other', rw: { cases: { found: 'done' } } } });
    const { ids, trace } = await runExtended(classic, { setup });
    expect(ids).toEqual(['find']);
    expect(trace[0]?.error).toMatch(/the case "other".* found /);
  });
});

describe('a recipe of a library', () => {
  const greet = modern(
    {
      say: node('command', { argv: ['echo', 'Hello {{params.name}}'], next: 'check' }),
      check: node('assert_output', { source: 'say', contains: 'Hello' }),
    },
    { paramsSchema: { type: 'object', properties: { name: { type: 'string', default: 'host' } } } },
  );
  const files = { 'lib/recipes/shared/shop/greet.recipe.json': JSON.stringify(greet) };
  const call = (params?: object) => node('call', { ref: 'shop.greet', ...(params ? { params } : {}) });
  const config = { 'recipewright.config.mjs': "export default { libraries: { mine: 'lib' } };" };

  test('a recipe of a library is called by its id, with a library from the config or from the options', async () => {
    const byConfig = await run({ greet: call() }, {}, { files: { ...files, ...config } });
    expect(byConfig.trace[0]).toMatchObject({ nodeId: 'greet/say', output: { stdout: 'Hello host\n' } });
    const { root } = byConfig;
    const byOption = await run({ greet: call({ name: '' }) }, {}, { libraries: { mine: `${root}/lib` } });
    expect(byOption.trace[0]?.output).toMatchObject({ stdout: 'Hello \n' });
  });

  test('the package contains the called recipes of a library', async () => {
    const { read } = await run({ greet: call() }, {}, { files: { ...files, ...config } });
    const recipe = JSON.parse(read('out/recipe.json') ?? '{}');
    expect(Object.keys(recipe.flows)).toContain('shop.greet');
    expect(JSON.parse(read('out/source.json') ?? '{}').workflow.nodes.greet.ref).toBe('shop.greet');
  });

  test('a call of a recipe that no library has is refused before the run', async () => {
    const { exitCode, refused, read } = await run({ first: node('command', { cmd: 'touch ran', next: 'greet' }), greet: call() });
    expect({ exitCode, ran: read('ran') }).toEqual({ exitCode: 2, ran: undefined });
    expect(refused.length).toBeGreaterThan(0);
  });
});

describe('a node that serves several claims', () => {
  const proofTargets = ['a', 'b'].map((id) => ({ id, claim: `The claim ${id} holds` }));
  const claim = (contains: string) =>
    run(
      {
        say: node('command', { argv: ['echo', 'yes'], next: 'check' }),
        check: node('assert_output', { source: 'say', contains, proves: ['a', 'b'] }),
      },
      { proofTargets },
    );

  test('a node that serves several claims proves or refutes all of them', async () => {
    const proven = await claim('yes');
    expect(proven.summary.proof.map(({ id, status, held }) => [id, status, held])).toEqual([
      ['a', 'proven', 1],
      ['b', 'proven', 1],
    ]);
    const refuted = await claim('no');
    expect(refuted.summary.proof.map(({ status }) => status)).toEqual(['refuted', 'refuted']);
  });
});
