import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject, type Project } from '../../support/cli.js';
import { recipeOf } from '../../support/plain.js';

const good = recipeOf({ first: { action: 'command', cmd: 'true', next: 'done' } });
const bad = recipeOf({ first: { action: 'command', cmd: 'true', next: 'dome' } });
const lonely = recipeOf({
  first: { action: 'command', cmd: 'true', next: 'done' },
  nobody: { action: 'wait', ms: 1, next: 'done' },
});
const manifest = { runner_protocol_version: 1, action_registry_version: 1, supported_official_actions: ['command', 'end'] };

/** A project with files in folders. */
function project(files: Record<string, unknown>): Project {
  const made = cliProject({});
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(made.dir, name)), { recursive: true });
    writeFileSync(join(made.dir, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return made;
}

describe('recipewright validate', () => {
  test('says of every file whether it is valid, with a code frame for what is not', async () => {
    const { exitCode, stdout, stderr } = await project({ 'a.recipe.json': good, 'b/c.recipe.json': bad }).run(
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

  test('prints exactly one JSON document on stdout with --json', async () => {
    const { exitCode, stdout, stderr } = await project({ 'a.recipe.json': good, 'b.recipe.json': bad }).run(
      ...['validate', 'a.recipe.json', 'b.recipe.json', '--json'],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    const { files, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({});
    expect(files[0]).toEqual({ file: 'a.recipe.json', dialect: 'recipe-v1', status: 'valid', findings: [] });
    expect(files[1]).toMatchObject({ file: 'b.recipe.json', status: 'invalid' });
    expect(Object.keys(files[1].findings[0])).toEqual(['code', 'severity', 'path', 'line', 'column', 'message', 'hint']);
  });

  test('shows warnings and still passes', async () => {
    const { exitCode, stdout } = await project({ 'a.recipe.json': lonely }).run('validate', 'a.recipe.json');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('warning: workflow.unreachable_node  a.recipe.json:');
    expect(stdout).toContain('a.recipe.json: valid, 1 warning (recipe-v1)\n1 file: 1 valid, 0 invalid.\n');
  });

  test('finds recipes in directories and by patterns, each once, and leaves node_modules alone', async () => {
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

  test('reports a file that is not there as a finding', async () => {
    const { exitCode, stdout } = await project({ 'a.recipe.json': good }).run(
      'validate',
      'nope.recipe.json',
      'a.recipe.json',
      '--json',
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).files).toMatchObject([
      { file: 'nope.recipe.json', status: 'invalid', findings: [{ code: 'document.not_found' }] },
      { status: 'valid' },
    ]);
  });

  test.for([
    ['no files', [], /validate needs files, directories or patterns/],
    ['a pattern that matches nothing', ['x/*.recipe.json'], /The pattern "x\/\*\.recipe\.json" matches no document/],
    ['a directory without recipes', ['empty'], /The directory empty holds no document/],
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
    ['a library that is not there', ['a.recipe.json', '--library', 'shared=nope'], /nope, which is no directory/],
    ['files and a package', ['a.recipe.json', '--artifact-dir', 'empty'], /either files or --artifact-dir/],
    ['a package held to a manifest', ['--artifact-dir', 'empty', '--production'], /are for recipes/],
  ] as const)('refuses %s with exit code 2', async ([, args, said]) => {
    const { run } = project({ 'a.recipe.json': good, 'empty/readme.md': '', 'torn.json': '{' });
    const { exitCode, stdout, stderr } = await run('validate', ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(stderr).not.toContain('bug of its own');
  });

  test('holds recipes to the manifest of a runner', async () => {
    const custom = recipeOf({ first: { action: 'shop.pay', amount: 0, next: 'done' } });
    const pay = { name: 'shop.pay', schema: { type: 'object', properties: { amount: { type: 'number', minimum: 1 } } } };
    const { run } = project({
      'a.recipe.json': custom,
      'b.recipe.json': recipeOf({ first: { action: 'wait', duration_ms: 1, next: 'done' } }),
      'none.json': manifest,
      'pay.json': { ...manifest, custom_actions: [pay] },
      'wrong.json': { ...manifest, supported_official_actions: ['comand', 'end'] },
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
    expect((await codes('b.recipe.json', 'wrong.json')).slice(0, 2)).toEqual([1, 'action_manifest.unknown_official_action']);
  });

  test('checks an evidence package', async () => {
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
      { file: 'out/artifact-manifest.json', status: 'valid' },
      { file: 'out/summary.json', status: 'invalid', findings: [{ code: 'artifact_package.count_mismatch', path: '/passed' }] },
      { file: 'out/trace.json', status: 'valid' },
      { file: 'out/recipe.json', status: 'valid' },
    ]);
    const nowhere = await run('validate', '--artifact-dir', 'nowhere', '--json');
    expect([nowhere.exitCode, JSON.parse(nowhere.stdout).files[0].findings[0].code]).toEqual([1, 'document.not_found']);
  });
});
