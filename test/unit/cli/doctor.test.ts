// `recipewright doctor` checks whether recipes can run in a project.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { documentSchema } from '../../../src/registry/schemas.js';
import type { Ended } from '../../support/cli.js';
import { inProcess } from '../../support/command.js';
import { recipeOf } from '../../support/plain.js';
import { shopSetup, setupProject as startedProject } from '../../support/setupProject.js';

const setupProject = (files: Record<string, unknown>) => inProcess(startedProject(files));
const good = recipeOf({ first: { action: 'command', argv: ['node', '--version'], next: 'done' } });
const token = 'hunter2-but-longer';
const secret = { inputs: { token: { type: 'secret-ref', ref: 'env:SHOP_TOKEN' } } };
const loggingIn = recipeOf(
  { first: { action: 'command', cmd: 'true', env: { TOKEN: '{{inputs.token}}' }, next: 'done' } },
  secret,
);
const withRecipe = ['doctor', '--recipe', 'a.recipe.json', '--json'];
const valid = new Ajv({ strict: false }).compile(documentSchema('doctor-report-v1') ?? {});

type CheckJson = { id: string; status: string; category: string; message: string; fix?: string };

/** Validates a report against its schema, and returns its checks by id. */
function checksIn({ stdout }: Ended): Map<string, CheckJson> {
  const report = JSON.parse(stdout) as { checks: CheckJson[] };
  expect(valid(report), JSON.stringify(valid.errors)).toBe(true);
  for (const { status, fix } of report.checks) expect(fix !== undefined).toBe(status === 'fail' || status === 'warn');
  return new Map(report.checks.map((check) => [check.id, check]));
}

afterEach(() => void vi.unstubAllEnvs());

describe('recipewright doctor', () => {
  test('the doctor passes where recipes can run, with a check in every category', async () => {
    const { dir, run } = startedProject({ 'package.json': {} });
    const ended = await run('doctor', '--json');
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ runner_protocol_version: 1, status: 'pass' });
    expect(Object.keys(JSON.parse(ended.stdout))).toEqual(['runner_protocol_version', 'status', 'checks']);
    const categories = [...checksIn(ended).values()].map(({ category }) => category);
    expect([...new Set(categories)]).toEqual(['tools', 'harness', 'runtime', 'fixtures', 'isolation', 'secrets']);
    expect(readdirSync(dir).sort()).toEqual(['node_modules', 'package.json']);
  });

  test('the doctor prints one line per check, and the fix below each failed one', async () => {
    const missing = recipeOf({ first: { action: 'command', argv: ['no-such-program'], next: 'done' } });
    const { exitCode, stdout, stderr } = await startedProject({ 'a.recipe.json': missing }).run(...withRecipe.slice(0, 3));
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: '' });
    expect(stdout).toMatch(/^✓ tools\.node: Node \d+\.\d+\.\d+\.\n/);
    expect(stdout).toContain(
      '\n✗ runtime.programs: There is no program "no-such-program" in PATH or in the project.\n  Install the program, or check its name.\n',
    );
    expect(stdout).toMatch(/\nRecipes cannot run here yet: \d+ passed, 1 failed, \d+ warned, \d+ skipped\.\n$/);
  });

  test('the doctor knows the actions and preconditions of the setup module', async () => {
    const paying = recipeOf(
      { first: { action: 'shop.pay', amount: 2, next: 'done' } },
      { workflow: { pre_conditions: ['shop.open'] } },
    );
    const { run } = setupProject({ 'setup.ts': shopSetup, 'a.recipe.json': paying });
    const equipped = await run(...withRecipe, '--setup', 'setup.ts');
    expect(equipped).toMatchObject({ exitCode: 0, stderr: '' });
    expect(checksIn(equipped).get('harness.setup')?.message).toMatch(
      /setup\.ts defines 1 action, 1 precondition, 1 operator, 1 state ref\.$/,
    );
    const alone = await run(...withRecipe);
    expect(alone.exitCode).toBe(3);
    expect(checksIn(alone).get('runtime.actions')?.status).toBe('fail');
    expect(checksIn(alone).get('runtime.preconditions')).toMatchObject({
      ...{ status: 'fail', fix: 'Declare the precondition with a checker in the setup module.' },
      message: expect.stringContaining('"shop.open"'),
    });
  });

  test('the doctor does not blame a recipe for a broken setup module', async () => {
    const { run } = setupProject({ 'setup.ts': 'export default {', 'a.recipe.json': good });
    const ended = await run(...withRecipe, '--setup', 'setup.ts');
    expect(ended).toMatchObject({ exitCode: 3, stderr: '' });
    const checks = checksIn(ended);
    expect(checks.get('harness.setup')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('could not be loaded'),
    });
    expect(checks.get('runtime.recipe')?.status).toBe('skip');
    expect([...checks.values()].filter(({ status }) => status === 'fail')).toHaveLength(1);
  });

  test.for([
    ['a broken config', { 'recipewright.config.mjs': 'export default { setupp: 1 };' }, 'harness.config', /no option "setupp"/],
    [
      'a library that is not there',
      { 'recipewright.config.mjs': "export default { libraries: { shop: './nowhere' } };" },
      ...(['fixtures.libraries', /library shop \(.*nowhere\)/] as const),
    ],
    [
      'a catalog that is not there',
      { 'a.recipe.json': recipeOf({ first: { action: 'call', ref: 'x.y', next: 'done' } }, { uses: ['x.flows.json'] }) },
      ...(['fixtures.uses', /x\.flows\.json/] as const),
    ],
    ['a file in place of the results', { 'recipe-results': '' }, 'isolation.results', /is not a directory/],
    ['a recipe that is not valid', { 'a.recipe.json': '{' }, 'runtime.recipe', /a\.recipe\.json:1:2: /],
    [
      'a page without Playwright',
      { 'a.recipe.json': recipeOf({ first: { action: 'ui.press', text: 'Buy', next: 'done' } }) },
      ...(['runtime.page', /needs page, which only Playwright/] as const),
    ],
  ] as const)('the doctor finds %s', async ([, files, id, message]) => {
    const ended = await setupProject({ 'package.json': {}, 'a.recipe.json': good, ...files }).run(...withRecipe);
    expect(ended).toMatchObject({ exitCode: 3, stderr: '' });
    expect(JSON.parse(ended.stdout).status).toBe('fail');
    expect(checksIn(ended).get(id)).toMatchObject({ status: 'fail', message: expect.stringMatching(message) });
  });

  test('the doctor reports that the configured browser does not exist', async () => {
    const { dir, run } = setupProject({
      'package.json': {},
      'a.recipe.json': recipeOf({ first: { action: 'ui.press', text: 'Buy', next: 'done' } }),
    });
    mkdirSync(join(dir, 'node_modules/@playwright/test'), { recursive: true });
    writeFileSync(
      join(dir, 'node_modules/@playwright/test/package.json'),
      JSON.stringify({ version: '1.65.0', main: 'index.js' }),
    );
    vi.stubEnv('RECIPEWRIGHT_BROWSER', '/no/such/browser');
    const ended = await run(...withRecipe);
    expect(ended.exitCode).toBe(3);
    expect(checksIn(ended).get('tools.browser')).toMatchObject({
      message: 'RECIPEWRIGHT_BROWSER is "/no/such/browser", but there is no such file.',
      fix: expect.stringMatching(/^Set it to the full path/),
    });
    expect(checksIn(ended).get('tools.video')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('RECIPEWRIGHT_BROWSER'),
    });
    expect(checksIn(ended).get('runtime.page')).toMatchObject({ status: 'fail', message: expect.stringContaining('no browser') });
  });

  test('the doctor warns of an input without a value and a log without a directory', async () => {
    const recipe = recipeOf(
      {
        first: { action: 'command', argv: ['./build/tool', '{{inputs.shop}}'], next: 'log' },
        log: { action: 'watch_logs', path: 'logs/app.log', contains: 'sold', next: 'done' },
      },
      { inputs: { shop: { type: 'string' } } },
    );
    const ended = await setupProject({ 'package.json': {}, 'a.recipe.json': recipe }).run(...withRecipe);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    const statuses = ['runtime.inputs', 'runtime.programs', 'fixtures.watched'].map((id) => checksIn(ended).get(id)?.status);
    expect(statuses).toEqual(['warn', 'warn', 'warn']);
  });
});

describe('the secrets of a recipe', () => {
  test.for([
    ['is there', token, 0, 'pass', undefined],
    ['is not there', undefined, 3, 'fail', 'Set the environment variable SHOP_TOKEN.'],
    ['is too short', 'abc', 3, 'fail', 'Use a value of at least 6 characters that is not a common word.'],
  ] as const)('the doctor checks secrets and never prints them when one %s', async ([, value, exitCode, status, fix]) => {
    vi.stubEnv('SHOP_TOKEN', value);
    const { run } = setupProject({ 'package.json': {}, 'a.recipe.json': loggingIn });
    const ended = await run(...withRecipe);
    expect(ended).toMatchObject({ exitCode, stderr: '' });
    const check = checksIn(ended).get('secrets.token');
    expect([check?.status, check?.fix]).toEqual([status, fix]);
    if (value === undefined) return;
    const printed = await run(...withRecipe.slice(0, 3));
    for (const output of [ended.stdout, printed.stdout]) expect(output).not.toContain(value);
  });

  test('the doctor does not print a secret even when another check quotes the recipe that contains it', async () => {
    vi.stubEnv('SHOP_TOKEN', token);
    const leaking = recipeOf({ first: { action: 'command', argv: [token], next: 'done' } }, secret);
    const ended = await setupProject({ 'package.json': {}, 'a.recipe.json': leaking }).run(...withRecipe);
    expect(ended.exitCode).toBe(3);
    expect(checksIn(ended).get('secrets.token')?.message).toContain('contains the value of a secret in plain text');
    expect(checksIn(ended).get('runtime.programs')?.message).toContain('[secret:token]');
    expect(ended.stdout).not.toContain(token);
  });

  test('a secret file that is a directory fails a check and does not crash the doctor', async () => {
    const fromFile = { ...loggingIn, inputs: { token: { type: 'secret-ref', ref: 'file:keys' } } };
    const { run } = setupProject({ 'package.json': {}, 'a.recipe.json': fromFile, 'keys/readme.md': '' });
    const ended = await run(...withRecipe);
    expect(ended).toMatchObject({ exitCode: 3, stderr: '' });
    expect([...checksIn(ended).values()].filter(({ category }) => category === 'secrets')).toMatchObject([{ status: 'fail' }]);
  });
});

describe('wrong usage of the doctor', () => {
  test.for([
    ['a recipe that is not there', ['--recipe', 'nope.json'], /--recipe needs a file, but nope\.json is not a file/],
    ['a root that is not there', ['--project-root', 'nope'], /The project root nope is not a directory/],
    ['a library that is not there', ['--library', 'shop=nope'], /--library shop needs a directory, but nope is not/],
    ['an option that does not exist', ['--fix'], /fix/],
    ['a name', ['now'], /now/],
  ] as const)('the doctor exits with 2 for wrong usage: %s', async ([, args, message]) => {
    const { exitCode, stdout, stderr } = await setupProject({})[args[0] === '--fix' ? 'started' : 'run']('doctor', ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('bug of its own');
  });

  test.for(['doctor', 'verify'])('the help of %s has an example', async (command) => {
    const { exitCode, stdout } = await setupProject({}).run(command, '--help');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\s+recipewright ${command} `));
  });
});

describe('a run that fails because of its environment', () => {
  test("a run that fails because of its environment prints the doctor's fix, only to stderr", async () => {
    const missing = recipeOf({ first: { action: 'command', argv: ['no-such-program'], next: 'done' } });
    const { run } = setupProject({ 'package.json': {}, 'a.recipe.json': missing });
    const fix = checksIn(await run(...withRecipe)).get('runtime.programs')?.fix ?? 'none';
    const { exitCode, stdout, stderr } = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', '--json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout).status).toBe('unknown');
    expect(stderr).toMatch(
      /\nrecipewright doctor found problems:\n✗ runtime\.programs: There is no program "no-such-program".*\n/,
    );
    expect(stderr.endsWith(`\n  ${fix}\n`)).toBe(true);
  });

  test('a run with a missing secret names the secret once, with the fix', async () => {
    vi.stubEnv('SHOP_TOKEN', undefined);
    const { run } = setupProject({ 'package.json': {}, 'a.recipe.json': loggingIn });
    const { exitCode, stderr } = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out');
    expect(exitCode).toBe(3);
    expect(stderr.match(/Set the environment variable SHOP_TOKEN\./g)).toHaveLength(1);
  });
});
