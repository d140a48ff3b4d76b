// The command line keeps arguments as typed, and prints them without control characters.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cliProject as startedProject } from '../../support/cli.js';
import { inProcess } from '../../support/command.js';
import { recipeOf } from '../../support/plain.js';

const cliProject = (files: Record<string, unknown>) => inProcess(startedProject(files));
const good = recipeOf({ first: { action: 'command', cmd: 'true', next: 'done' } });
const program = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const manifest = { runner_protocol_version: 1, action_registry_version: 1, supported_official_actions: ['command', 'end'] };

describe('a value that looks like a number', () => {
  test.for([['--out', '5'], ['--out', '1e3'], ['--out', '007'], ['--out=0x10']])(
    'compile takes a number in %j as a file name',
    async (option) => {
      const { dir, run } = cliProject({ 'a.recipe.json': good });
      expect(await run('compile', 'a.recipe.json', ...option)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
      const name = option.at(-1)?.replace('--out=', '') ?? '';
      expect(readdirSync(dir).sort()).toEqual(['a.recipe.json', name].sort());
      expect(JSON.parse(readFileSync(join(dir, name), 'utf8'))).toEqual(good);
    },
  );

  test('a number can be the name of a package, a manifest, a recipe and a directory', async () => {
    const { run, started } = cliProject({ '42': manifest, '1.0': good });
    expect((await started('validate', '1.0', '--action-manifest', '42')).stdout).toBe(
      '1.0: valid (recipe-v1)\n1 file: 1 valid, 0 invalid.\n',
    );
    expect(await run('run', '--recipe', '1.0', '--artifacts-dir', '2024')).toMatchObject({ exitCode: 0 });
    const checked = await run('validate', '--artifact-dir', '2024');
    expect(checked.stdout).toContain('4 files: 4 valid, 0 invalid.');
  });
});

describe('arguments after --', () => {
  test('an argument after -- is a file, whatever it looks like', async () => {
    const { run } = cliProject({ '--json': good, '-5': good, 'a.recipe.json': good });
    const { exitCode, stdout } = await run('validate', 'a.recipe.json', '--', '--json', '-5');
    expect([exitCode, stdout.match(/^\S+: valid/gm)]).toEqual([0, ['a.recipe.json: valid', '--json: valid', '-5: valid']]);
    expect((await run('compile', '--', '--json')).exitCode).toBe(0);
    expect((await run('schema', '--', 'trace-v1')).exitCode).toBe(0);
  });

  test('an argument after -- is refused by a command that takes no names', async () => {
    const { exitCode, stdout, stderr } = await cliProject({}).run('manifest', '--', 'x');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Unused args: `x`');
  });
});

test.for([
  [['ru\u001b[2Jn']],
  [['validate', '--st\u001b[31m']],
  [['validate', '\u001b[2J*.json']],
  [['validate', '\u202egnp.json', '--action-manifest', 'x\n::error::y\u001b[2J']],
  [['manifest', 'x\n::error::y']],
  [['schema', 'a\u001b[2J', 'b']],
  [['compile', 'a', '--out', '\u001b[2J/b']],
  [['validate', 'a', '--project-root', '\u009b2J']],
  [['validate', 'a', '--library', 'x=\u001b[2J']],
] as const)('the error about the arguments %j contains no control characters', async ([args]) => {
  const { exitCode, stdout, stderr } = await cliProject({})[args.length === 1 ? 'started' : 'run'](...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^recipewright: .+\nRun "recipewright --help" for usage\.\n$/);
  expect(stderr).not.toMatch(/[^\P{C}\n]/u);
});

describe('compile --out', () => {
  test.for([
    ['nope/b.json', 'There is no directory nope to write nope/b.json into. Create the directory first.'],
    [
      'a.recipe.json/b.json',
      'There is no directory a.recipe.json to write a.recipe.json/b.json into. Create the directory first.',
    ],
    ['sub', '--out needs a file, but sub is a directory.'],
    ['', '--out needs one file.'],
  ] as const)('compile refuses --out %j and creates nothing', async ([out, message]) => {
    const { dir, run } = cliProject({ 'a.recipe.json': good });
    mkdirSync(join(dir, 'sub'));
    const { exitCode, stdout, stderr } = await run('compile', 'a.recipe.json', '--out', out);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `recipewright: ${message}\nRun "recipewright --help" for usage.\n`,
    });
    expect([readdirSync(dir), readdirSync(join(dir, 'sub'))]).toEqual([['a.recipe.json', 'sub'], []]);
  });
});

test.skipIf(!existsSync('/dev/full')).for(['schema recipe-v1', 'manifest --json', 'validate a.recipe.json', '--help'])(
  '%s reports in one line that there is no space left for its output (needs /dev/full)',
  async (args) => {
    const { dir } = cliProject({ 'a.recipe.json': good });
    const [exitCode, stderr] = await new Promise<[unknown, string]>((resolve) => {
      execFile('sh', ['-c', `exec "$0" "$1" ${args} > /dev/full`, process.execPath, program], { cwd: dir }, (error, _, stderr) =>
        resolve([error?.code, stderr]),
      );
    });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      /^recipewright: The operating system reported an error \(ENOSPC: .*\)\. Check the path, its permissions and the free disk space\.\n$/,
    );
  },
);
