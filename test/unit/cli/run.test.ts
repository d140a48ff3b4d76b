import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
import { recipeOf } from '../../support/plain.js';

const command = (cmd: string, rest: object = {}) => ({ action: 'command', cmd, next: 'done', ...rest });
/** A case of a switch that never applies. */
const never = { when: { source: 'saved', operator: 'eq', value: 'nothing' }, next: 'done' };
const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];
const project = (recipe: unknown) => cliProject({ 'a.recipe.json': recipe });
const jsonIn = (dir: string, name: string) => JSON.parse(readFileSync(join(dir, 'out', name), 'utf8'));

describe('recipewright run', () => {
  test('run --json prints exactly one JSON document to stdout', async () => {
    const { dir, run: start } = project(recipeOf({ first: command('echo noise') }));
    const { exitCode, stdout, stderr } = await start(...run, '--json');
    expect(exitCode).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({
      status: 'pass',
      summaryPath: join(answer.artifactsDir, 'summary.json'),
      summary: jsonIn(dir, 'summary.json'),
    });
    expect(stderr).toBe('RUN 1/2 Do what first is there for\nRUN 2/2 End: pass\n');
    expect(readdirSync(join(dir, 'out')).sort()).toEqual([
      '.recipewright',
      'artifact-manifest.json',
      'journal.jsonl',
      'recipe.json',
      'review.html',
      'summary.json',
      'trace.json',
      'workflow.json',
    ]);
    expect(jsonIn(dir, 'recipe.json')).toEqual(JSON.parse(readFileSync(join(dir, 'a.recipe.json'), 'utf8')));
  });

  test.for([
    ['the app under test fails', recipeOf({ first: command('exit 1') }), 1, 'fail'],
    ['nothing is proven', recipeOf({ first: { action: 'switch', cases: [never], default: 'done' } }), 1, 'unknown'],
    ['a program is missing', recipeOf({ first: { action: 'command', argv: ['no-such-program'], next: 'done' } }), 3, 'unknown'],
  ] as const)('run exits with the code of the failure table when %s', async ([, recipe, code, status]) => {
    const { dir, run: start } = project(recipe);
    expect((await start(...run)).exitCode).toBe(code);
    expect(jsonIn(dir, 'summary.json').status).toBe(status);
  });

  test.for([
    [
      'an invalid recipe',
      recipeOf({ first: command('touch ran', { next: 'dome' }) }),
      run,
      /workflow\.missing_target .*a\.recipe\.json:\d+:\d+/,
    ],
    [
      'a file that is not there',
      recipeOf({ first: command('true') }),
      ['run', '--recipe', 'b.json', '--artifacts-dir', 'out'],
      /document\.not_found/,
    ],
    ['a missing option', recipeOf({ first: command('true') }), ['run', '--recipe', 'a.recipe.json'], /--artifacts-dir/],
    ['an option that does not exist', recipeOf({ first: command('true') }), [...run, '--verbse'], /verbse/],
    ['a command that does not exist', recipeOf({ first: command('true') }), ['rum'], /no command "rum"/],
  ] as const)('run refuses %s with exit code 2 and runs nothing', async ([, recipe, args, message]) => {
    const { dir, run: start } = project(recipe);
    const { exitCode, stdout, stderr } = await start(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(existsSync(join(dir, 'out'))).toBe(false);
    expect(existsSync(join(dir, 'ran'))).toBe(false);
  });

  test('run accepts an empty artifacts directory and refuses one with files', async () => {
    const { dir, run: start } = project(recipeOf({ first: command('true') }));
    mkdirSync(join(dir, 'out'));
    expect((await start(...run)).exitCode).toBe(0);
    writeFileSync(join(dir, 'out', 'mine.txt'), 'precious');
    const second = await start(...run);
    expect(second).toMatchObject({ exitCode: 2, stdout: '' });
    expect(second.stderr).toContain('run.directory_not_empty');
    expect(readFileSync(join(dir, 'out', 'mine.txt'), 'utf8')).toBe('precious');
  });

  test('the help of run has an example', async () => {
    const { exitCode, stdout } = await cliProject({}).run('run', '--help');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('recipewright run --recipe recipes/price-rules.recipe.json --artifacts-dir evidence');
  });
});
