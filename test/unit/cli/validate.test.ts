import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
import { type InProcess, inProcess } from '../../support/command.js';
import { recipeOf } from '../../support/plain.js';

const good = recipeOf({ first: { action: 'command', cmd: 'true', next: 'done' } });
const bad = recipeOf({ first: { action: 'command', cmd: 'true', next: 'dome' } });
const lonely = recipeOf({
  first: { action: 'command', cmd: 'true', next: 'done' },
  nobody: { action: 'wait', ms: 1, next: 'done' },
});
const manifest = { runner_protocol_version: 1, action_registry_version: 1, supported_official_actions: ['command', 'end'] };

/** A project with files in folders. */
function project(files: Record<string, unknown>): InProcess {
  const cli = cliProject({});
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cli.dir, name)), { recursive: true });
    writeFileSync(join(cli.dir, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return inProcess(cli);
}

describe('recipewright validate', () => {
  test('validate prints for every file whether it is valid, with a code frame for each error', async () => {
    const { exitCode, stdout, stderr } = await project({ 'a.recipe.json': good, 'b/c.recipe.json': bad }).started(
      ...['validate', 'a.recipe.json', 'b/c.recipe.json'],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(
      /^workflow\.missing_target {2}b\/c\.recipe\.json:\d+:\d+ {2}\/validate\/workflow\/nodes\/first\/next\n/,
    );
    expect(stdout).toMatch(/> \d+ \| +"next": "dome"/);
    expect(stdout).toMatch(
      /\na\.recipe\.json: valid.*\nb\/c\.recipe\.json: invalid, \d errors.*\n2 files: 1 valid, 1 invalid\.\n$/,
    );
  });

  test('validate --json prints exactly one JSON document to stdout', async () => {
    const { exitCode, stdout, stderr } = await project({ 'a.recipe.json': good, 'b.recipe.json': bad }).started(
      ...['validate', 'a.recipe.json', 'b.recipe.json', '--json'],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    const { files, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({});
    expect(files[0]).toEqual({ file: 'a.recipe.json', dialect: 'recipe-v1', status: 'valid', findings: [] });
    expect(files[1]).toMatchObject({ file: 'b.recipe.json', status: 'invalid' });
    expect(Object.keys(files[1].findings[0])).toEqual(['code', 'severity', 'path', 'line', 'column', 'message', 'hint']);
  });

  test('validate shows warnings and still exits with 0', async () => {
    const { exitCode, stdout } = await project({ 'a.recipe.json': lonely }).started('validate', 'a.recipe.json');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('warning: workflow.unreachable_node  a.recipe.json:');
    expect(stdout).toContain('a.recipe.json: valid, 1 warning (recipe-v1)\n1 file: 1 valid, 0 invalid.\n');
  });

  test('validate finds recipes in directories and by patterns, each once, outside node_modules', async () => {
    const { run } = project({
      'r/a.recipe.json': good,
      'r/deep/b.recipe.json': good,
      'r/notes.json': '{',
      'r/node_modules/c.recipe.json': '{',
    });
    const listed = async (...args: string[]) => {
      const { stdout } = await run('validate', ...args, '--json');
      return JSON.parse(stdout).files.map(({ file }: { file: string }) => file);
    };
    expect(await listed('r')).toEqual(['r/a.recipe.json', 'r/deep/b.recipe.json']);
    expect(await listed('r/**/*.recipe.json', 'r', 'r/a.recipe.json')).toEqual(['r/a.recipe.json', 'r/deep/b.recipe.json']);
    expect(await listed('r/notes.json')).toEqual(['r/notes.json']);
  });

  test('validate reports a missing file as a finding', async () => {
    const { exitCode, stdout } = await project({ 'a.recipe.json': good }).run(
      'validate',
      'nope.recipe.json',
      'a.recipe.json',
      '--json',
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).files).toMatchObject([
      { file: 'nope.recipe.json', dialect: null, status: 'invalid', findings: [{ code: 'document.not_found' }] },
      { dialect: 'recipe-v1', status: 'valid' },
    ]);
  });

  test.for([
    ['no files', [], /validate needs files, directories or patterns/],
    ['a pattern that matches nothing', ['x/*.recipe.json'], /The pattern "x\/\*\.recipe\.json" matches no document/],
    ['a directory without recipes', ['empty'], /The directory empty contains no document/],
    ['an option that does not exist', ['a.recipe.json', '--stric'], /stric/],
    [
      'a manifest that is not there',
      ['a.recipe.json', '--action-manifest', 'm.json'],
      /action manifest m\.json cannot be read: There is no/,
    ],
    [
      'a manifest that is no JSON',
      ['a.recipe.json', '--action-manifest', 'torn.json'],
      /action manifest torn\.json cannot be read/,
    ],
    ['a library without a name', ['a.recipe.json', '--library', 'empty'], /--library needs name=path/],
    [
      'a library that is not there',
      ['a.recipe.json', '--library', 'shared=nope'],
      /--library shared needs a directory, but nope is not/,
    ],
    ['files and a package', ['a.recipe.json', '--artifact-dir', 'empty'], /either files or --artifact-dir/],
    ['a package with options for recipes', ['--artifact-dir', 'empty', '--production'], /apply to recipes/],
  ] as const)('validate refuses %s with exit code 2', async ([, args, message]) => {
    const { run, started } = project({ 'a.recipe.json': good, 'empty/readme.md': '', 'torn.json': '{' });
    const { exitCode, stdout, stderr } = await (args.length === 0 ? started : run)('validate', ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('bug of its own');
  });

  test('validate checks recipes against the manifest of a runner', async () => {
    const custom = recipeOf({ first: { action: 'shop.pay', amount: 0, next: 'done' } });
    const pay = { name: 'shop.pay', schema: { type: 'object', properties: { amount: { type: 'number', minimum: 1 } } } };
    const { run } = project({
      'a.recipe.json': custom,
      'b.recipe.json': recipeOf({
        first: { action: 'wait', duration_ms: 1, next: 'ask' },
        ask: { action: 'command', cmd: 'true', next: 'done' },
      }),
      'none.json': manifest,
      'pay.json': { ...manifest, custom_actions: [pay] },
    });
    const codes = async (file: string, of: string) => {
      const { exitCode, stdout } = await run('validate', file, '--json', ...(of ? ['--action-manifest', of] : []));
      const all = JSON.parse(stdout).files.flatMap(({ findings }: { findings: { code: string }[] }) =>
        findings.map(({ code }) => code),
      );
      return [exitCode, ...all];
    };
    expect(await codes('a.recipe.json', '')).toEqual([1, 'recipe.action_not_declared_by_manifest']);
    expect(await codes('a.recipe.json', 'none.json')).toEqual([1, 'recipe.action_not_declared_by_manifest']);
    expect(await codes('a.recipe.json', 'pay.json')).toEqual([1, 'action.invalid_field']);
    expect(await codes('b.recipe.json', '')).toEqual([0]);
    expect(await codes('b.recipe.json', 'none.json')).toEqual([1, 'recipe.action_not_declared_by_manifest']);
  });

  test('validate leaves recipes unchecked when the action manifest has errors, and says so', async () => {
    const { run } = project({
      'a.recipe.json': good,
      'b.recipe.json': bad,
      'wrong.json': { ...manifest, supported_official_actions: ['comand', 'end'] },
      'odd.json': { ...manifest, state_refs: [{ ref: 'shop.cart' }] },
    });
    const args = ['validate', 'a.recipe.json', 'b.recipe.json', '--action-manifest'];
    const reason =
      'The recipes were not checked, because the action manifest wrong.json has errors. Fix the manifest and check again.';
    const { exitCode, stdout, stderr } = await run(...args, 'wrong.json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(
      /^action_manifest\.unknown_official_action {2}wrong\.json:\d+:\d+ {2}\/supported_official_actions\/0\n/,
    );
    expect(stdout.slice(stdout.indexOf('wrong.json: invalid'))).toBe(
      `wrong.json: invalid, 1 error (action-manifest)\na.recipe.json: unchecked\nb.recipe.json: unchecked\n${reason}\n3 files: 0 valid, 1 invalid, 2 unchecked.\n`,
    );
    const printed = await run(...args, 'wrong.json', '--json');
    expect(JSON.parse(printed.stdout).files).toEqual([
      { file: 'wrong.json', dialect: 'action-manifest', status: 'invalid', findings: [expect.anything()] },
      { file: 'a.recipe.json', dialect: null, status: 'unchecked', reason, findings: [] },
      { file: 'b.recipe.json', dialect: null, status: 'unchecked', reason, findings: [] },
    ]);
    const compiled = await run('compile', 'a.recipe.json', '--action-manifest', 'wrong.json');
    expect(compiled).toMatchObject({ exitCode: 1, stdout: '' });
    expect(compiled.stderr).toContain(`\n${reason}\n`);
    const warned = await run('validate', 'a.recipe.json', '--action-manifest', 'odd.json');
    expect(warned.stdout).toMatch(/odd\.json: valid, 1 warning .*\na\.recipe\.json: valid .*\n2 files: 2 valid, 0 invalid\.\n$/);
  });

  test('validate warns only once of an end action that the manifest does not declare', async () => {
    const printed = {
      ...manifest,
      supported_official_actions: ['command', 'call', 'ui.press'],
      ...{ action_metadata: {}, custom_actions: [{ name: 'example.trade.place_order', owner: 'example.trade' }] },
      ...{ custom_assertion_operators: [], state_refs: [], pre_conditions: [], native_bindings: [] },
    };
    const { run } = project({ 'a.recipe.json': good, 'm.json': printed });
    const { exitCode, stdout } = await run('validate', 'a.recipe.json', '--action-manifest', 'm.json', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).files).toMatchObject([
      {
        file: 'a.recipe.json',
        findings: [{ code: 'recipe.action_not_declared_by_manifest', path: '/validate/workflow/nodes/done/action' }],
      },
    ]);
    expect(JSON.parse(stdout).files[0].findings).toHaveLength(1);
  });

  test('validate accepts fields that a manifest adds to an official action', async () => {
    const { run } = project({
      'a.recipe.json': recipeOf({ first: { action: 'command', cmd: 'true', device: 'desk', next: 'done' } }),
      'b.recipe.json': recipeOf({ first: { action: 'command', cmd: 'true', device: 7, next: 'done' } }),
      'c.recipe.json': recipeOf({ first: { action: 'command', cmd: 'true', devise: 'desk', next: 'done' } }),
      'm.json': { ...manifest, action_metadata: { command: { schema: { properties: { device: { type: 'string' } } } } } },
    });
    const files = ['a.recipe.json', 'b.recipe.json', 'c.recipe.json'];
    const { stdout } = await run('validate', ...files, '--json', '--action-manifest', 'm.json');
    const codes = JSON.parse(stdout).files.map(({ findings }: { findings: { code: string; path: string }[] }) =>
      findings.map(({ code, path }) => `${code} ${path}`),
    );
    const at = '/validate/workflow/nodes/first';
    expect(codes).toEqual([[], [`action.invalid_field ${at}/device`], [`action.unknown_field ${at}/devise`]]);
  });

  test('validate finds the catalogs of a recipe in its own project, from any directory', async () => {
    const flow = {
      version: 1,
      description: 'Says hello.',
      workflow: { entry: 'done', nodes: { done: { action: 'end', status: 'pass' } } },
    };
    const caller = (uses: string) => recipeOf({ first: { action: 'call', ref: 'shop.hello', next: 'done' } }, { uses: [uses] });
    const { run } = project({
      'shop/package.json': {},
      'shop/recipes/a.recipe.json': caller('../shop.flows.json'),
      'shop/recipes/b.recipe.json': caller('../../all.flows.json'),
      'shop/shop.flows.json': { schema_version: 1, kind: 'recipe-flow-catalog', flows: { 'shop.hello': flow } },
      'all.flows.json': { schema_version: 1, kind: 'recipe-flow-catalog', flows: { 'shop.hello': flow } },
      'elsewhere/readme.md': '',
    });
    const [a, b] = ['shop/recipes/a.recipe.json', 'shop/recipes/b.recipe.json'];
    const status = async (...args: string[]) => (await run(...args)).exitCode;
    expect(await status('validate', a)).toBe(0);
    expect(await status('compile', a)).toBe(0);
    const outside = await run('validate', b);
    expect(outside.exitCode).toBe(1);
    expect(outside.stdout).toContain('recipe.unreadable_catalog');
    expect(await status('validate', a, b, '--project-root', '.')).toBe(0);
    expect(await status('compile', b, '--project-root', '.')).toBe(0);
    expect(await status('validate', a, '--project-root', 'elsewhere')).toBe(1);
    expect(await run('validate', a, '--project-root', 'nope')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('validate --artifact-dir checks an evidence package', async () => {
    const { dir, run } = project({ 'a.recipe.json': good });
    await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out');
    const whole = await run('validate', '--artifact-dir', 'out');
    expect(whole).toMatchObject({ exitCode: 0, stderr: '' });
    expect(whole.stdout).toMatch(/out\/summary\.json: valid\n.*4 files: 4 valid, 0 invalid\.\n$/s);
    const summary = JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'));
    writeFileSync(join(dir, 'out/summary.json'), JSON.stringify({ ...summary, passed: 7 }, null, 2));
    const broken = await run('validate', '--artifact-dir', 'out', '--json');
    expect(broken.exitCode).toBe(1);
    expect(JSON.parse(broken.stdout).files).toMatchObject([
      { file: 'out/artifact-manifest.json', dialect: null, status: 'valid' },
      { file: 'out/summary.json', status: 'invalid', findings: [{ code: 'artifact_package.count_mismatch', path: '/passed' }] },
      { file: 'out/trace.json', status: 'valid' },
      { file: 'out/recipe.json', status: 'valid' },
    ]);
    const nowhere = await run('validate', '--artifact-dir', 'nowhere', '--json');
    expect([nowhere.exitCode, JSON.parse(nowhere.stdout).files[0].findings[0].code]).toEqual([1, 'document.not_found']);
  });
});
