// Secrets are read from the places in their refs and used only where they stay secret. A run without one of its secrets does not begin
// (spec §4.1).
import { describe, expect, test } from 'vitest';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const value = 'Kiwi-Harbour-2231';
const declared = { pw: { type: 'secret-ref', ref: 'env:SHOP_PASSWORD' } };
const env = { ...process.env, SHOP_PASSWORD: value };
const node = (fields: object) => ({ action: 'command', next: 'done', ...fields });
const using = (fields: object, rest: object = {}) => recipeOf({ first: node(fields) }, { inputs: declared, ...rest });

describe('the use of a secret', () => {
  test.for([
    ['env', { cmd: 'printf %s "$P" | wc -c', env: { P: '{{pw}}' } }, `${value.length}\n`],
    ['stdin', { argv: ['wc', '-c'], stdin: '{{inputs.pw}}' }, `${value.length}\n`],
    ['a longer string in stdin', { argv: ['wc', '-c'], stdin: 'key={{pw}}' }, `${value.length + 4}\n`],
  ] as const)('a command receives a secret by %s, and no file has the value', async ([, fields, stdout]) => {
    const { trace, everything } = await runExtended(using(fields), { env });
    expect(trace[0]?.output).toMatchObject({ stdout });
    expect(everything()).not.toContain(value);
  });

  test('a project action receives a secret only by a field that it declares for secrets', async () => {
    let seen: unknown;
    const login = ownAction(
      'shop.login',
      ({ password }) => {
        seen = password;
        return { output: { password } };
      },
      { secretFields: ['password'] },
    );
    const setup = defineSetup({ actions: [login] });
    const first = { action: 'shop.login', password: '{{pw}}', next: 'done' };
    const { trace } = await runExtended(recipeOf({ first }, { inputs: declared }), { env, setup });
    expect(seen).toBe(value);
    expect(trace[0]?.output).toEqual({ password: '[secret:pw]' });
    const misplaced = recipeOf({ first: { ...first, user: '{{pw}}' } }, { inputs: declared });
    expect((await runExtended(misplaced, { env, setup })).refused).toEqual(['inputs.secret_misplaced']);
  });

  test('a node of a flow receives a secret by a reference to the input', async () => {
    const nodes = {
      ...withIntents({ in: node({ cmd: 'printf %s "$P" | wc -c', env: { P: '{{inputs.pw}}' }, next: 'ok' }) }),
      ok: { action: 'end', status: 'pass' },
    };
    const flows = { 'shop.login': { version: 1, description: 'Logs in', workflow: { entry: 'in', nodes } } };
    const call = recipeOf({ first: { action: 'call', ref: 'shop.login', next: 'done' } }, { inputs: declared, flows });
    expect((await runExtended(call, { env })).trace[0]?.output).toMatchObject({ stdout: `${value.length}\n` });
  });

  test('the inputs that actions and assertions read have no secret', async () => {
    let seen: unknown;
    const spy = ownAction('shop.spy', (_, { inputs, read, param }) => {
      seen = [Object.keys(inputs), read('inputs', ['pw']), param('pw')];
      return { output: {} };
    });
    const first = { action: 'shop.spy', next: 'done' };
    await runExtended(recipeOf({ first }, { inputs: { ...declared, x: 1 } }), { env, setup: defineSetup({ actions: [spy] }) });
    expect(seen).toEqual([['x'], { found: false }, { found: false }]);
  });
});

describe('a secret is refused', () => {
  test.for([
    ['in argv', { argv: ['echo', '{{pw}}'] }],
    ['in shell text', { cmd: 'echo {{pw}}' }],
    ['in cwd', { cmd: 'true', cwd: '{{pw}}' }],
    ['in an intent', { cmd: 'true', intent: 'Log in with {{pw}} as a user' }],
    [
      'as the expected value of an assertion',
      { cmd: 'true', assert: { path: '$.stdout', operator: 'contains', value: '{{pw}}' } },
    ],
    ['as the param of an assertion', { cmd: 'true', assert: { path: '$.stdout', operator: 'contains', param: 'pw' } }],
    ['as the source of a gate', { cmd: 'true', when: { source: 'inputs', path: '$.pw', operator: 'exists' } }],
    ['as a bound field', { argv: ['cat'], rw: { in: { stdin: { source: 'inputs', path: '$.pw' } } } }],
  ] as const)('a secret is refused %s', async ([, fields]) => {
    const { refused, exitCode } = await runExtended(using(fields), { env });
    expect({ refused, exitCode }).toEqual({ refused: ['inputs.secret_misplaced'], exitCode: 2 });
  });

  test('a secret is refused as a param of a call and inside another input', async () => {
    const nodes = { ...withIntents({ in: node({ cmd: 'true', next: 'ok' }) }), ok: { action: 'end', status: 'pass' } };
    const flows = { 'shop.f': { version: 1, description: 'Does it', workflow: { entry: 'in', nodes } } };
    const call = recipeOf(
      { first: { action: 'call', ref: 'shop.f', params: { p: '{{pw}}' }, next: 'done' } },
      { inputs: declared, flows },
    );
    expect((await runExtended(call, { env })).refused).toContain('inputs.secret_misplaced');
    const nested = recipeOf({ first: node({ cmd: 'true' }) }, { inputs: { login: { password: declared.pw } } });
    expect((await runExtended(nested, { env })).refused).toContain('inputs.invalid_secret_ref');
  });

  test('a secret is refused when the recipe contains its value, when it is too short, and when it is set in plain text', async () => {
    const fields = { cmd: 'true', env: { P: '{{pw}}' } };
    const inTitle = await runExtended(using(fields, { title: `Log in with ${value}` }), { env });
    expect(inTitle.refused).toEqual(['inputs.secret_in_recipe']);
    expect(JSON.stringify(inTitle.findings)).not.toContain(value);
    expect((await runExtended(using(fields), { env: { SHOP_PASSWORD: 'abc12' } })).refused).toEqual(['inputs.weak_secret']);
    const inPlainText = await runExtended(using(fields), { env, inputTexts: new Map([['pw', 'Other-Harbour-1']]) });
    expect(inPlainText.refused).toEqual(['inputs.secret_given']);
    expect(JSON.stringify(inPlainText.findings)).not.toContain('Other-Harbour-1');
  });
});

describe('a missing secret', () => {
  const fields = { cmd: 'touch ran', env: { P: '{{pw}}' } };
  test.for([{}, { SHOP_PASSWORD: '' }])('a missing secret is a fault of the environment: %j', async (variables) => {
    const { refused, exitCode, findings, read } = await runExtended(using(fields), { env: variables });
    expect({ refused, exitCode }).toEqual({ refused: ['inputs.missing_secret'], exitCode: 3 });
    expect(findings[0]?.hint).toContain('SHOP_PASSWORD');
    expect(read('ran')).toBeUndefined();
  });

  test('a secret is read from a file of the project without its last line break, and not from files outside', async () => {
    const at = (ref: string) =>
      recipeOf({ first: node({ ...fields, cmd: 'printf %s "$P" | wc -c' }) }, { inputs: { pw: { type: 'secret-ref', ref } } });
    const { trace } = await runExtended(at('file:keys/pw'), { files: { 'keys/pw': `${value}\r\n` } });
    expect(trace[0]?.output).toMatchObject({ stdout: `${value.length}\n` });
    for (const ref of ['file:keys/none', 'file:../../../etc/passwd', 'file:/etc/passwd'])
      expect([ref, (await runExtended(at(ref))).refused]).toEqual([ref, ['inputs.missing_secret']]);
  });
});
