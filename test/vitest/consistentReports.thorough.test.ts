// Packages, index, Vitest's own reports and the exit code agree, whatever else fails in the run.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canMount } from '../faults/mounts.js';
import { exit, recipe, sound } from '../support/recipe.js';
import { type VitestProject, vitestProject } from '../support/vitestProject.js';

const indexOf = (project: VitestProject): { table: string; problems: string } => {
  const { problems = [] } = JSON.parse(project.read('recipe-results/suite.json')) as { problems?: string[] };
  return { table: project.read('recipe-results/index.md'), problems: problems.join('\n') };
};

/** Lists the files except the packages, which may be incomplete. */
const reported = async (project: VitestProject) => {
  const { exitCode } = await project.start(['run']).ended;
  return { exitCode, ...(JSON.parse(project.read('report.json')) as { success: boolean; numFailedTests: number }) };
};

test('a package that cannot be written fails its test in every report, and the exit code is the same', async () => {
  const project = vitestProject({ 'recipes/a.recipe.json': sound(), 'recipe-results': 'a file is in the way' });
  expect(await reported(project)).toMatchObject({ exitCode: 1, success: false, numFailedTests: 1 });
  expect(project.read('report.json')).toContain('The evidence of the test could not be written');
  expect(project.read('junit.xml')).toMatch(/<testsuites [^>]*failures="1"/);
});

test.runIf(canMount)(
  'on a full disk, no report passes when the exit code is 1, and no index claims more than the packages',
  async () => {
    const project = vitestProject({ 'recipes/a.recipe.json': sound(), 'recipes/b.recipe.json': sound() });
    const disk = join(project.dir, 'recipe-results');
    mkdirSync(disk);
    const observations: string[] = [];
    // In kB: too little for the packages, too little for the index, enough.
    for (const size of process.env.RECIPEWRIGHT_ALL ? [80, 124, 140, 600] : [80, 140, 600]) {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}k`, 'none', disk], { stdio: 'pipe' });
      try {
        const { exitCode, success } = await reported(project);
        const texts = ['index.md', 'suite.json']
          .filter((name) => existsSync(join(disk, name)))
          .map((name) => readFileSync(join(disk, name), 'utf8'));
        const claims = texts.some((text) => /2 of 2 passed|"state": "finished"[\s\S]*"passed": 2/.test(text));
        const doubts = texts.every((text) => /could not be written/.test(text));
        observations.push(
          `${size}: exit ${exitCode}, success ${success}, ${claims ? 'claims all' : 'claims less'}, ${doubts ? 'doubts' : 'sure'}`,
        );
        expect(exitCode === 0, observations.at(-1)).toBe(success);
        if (exitCode === 0) expect({ claims, doubts }, observations.at(-1)).toEqual({ claims: true, doubts: false });
        else expect(!claims || doubts, observations.at(-1)).toBe(true);
      } finally {
        execFileSync('umount', [disk]);
      }
    }
    expect(observations.filter((line) => line.includes('exit 1')).length, observations.join('\n')).toBeGreaterThan(1);
    expect(observations.at(-1)).toContain('exit 0');
  },
);

test('other code in the process cannot make the exit code and the index differ', async () => {
  const start = (document: object, body: string, native = '', teardown = '') => {
    const project = vitestProject(
      {
        'recipes/a.recipe.json': document,
        'reporter.ts': `export default class { onTestRunEnd() { ${body} } }`,
        'teardown.ts': `export default () => () => { ${teardown} };`,
        ...(native ? { 'native.test.ts': `import { test } from 'vitest';\ntest('Buys a mug', () => { ${native} });\n` } : {}),
      },
      {
        test: { reporters: ['default', ['json', { outputFile: 'report.json' }], './reporter.ts'], globalSetup: './teardown.ts' },
      },
    );
    return project;
  };
  // At the end of the run, after it, and in the last exit listener.
  const forgiving = start(
    recipe({ leave: exit(1) }),
    "process.exitCode = 0; process.on('exit', () => { process.exitCode = 0; });",
    '',
    "process.on('exit', () => { process.exitCode = 0; });",
  );
  expect(await forgiving.run()).toMatchObject({ exitCode: 1, success: false, failed: 1 });
  expect(indexOf(forgiving).table).toContain('# Recipes: 0 of 1 passed');
  const leaving = start(recipe({ leave: exit(1) }), '', '', "process.on('exit', () => { process.exit(0); });");
  expect(await leaving.run()).toMatchObject({ exitCode: 1, success: false, failed: 1 });
  const throwing = start(sound(), '', '', "process.on('exit', () => { throw new Error('thrown at the end'); });");
  const thrown = await throwing.run();
  expect(thrown).toMatchObject({ exitCode: 1, passed: 1, failed: 0 });
  expect(thrown.stderr).toContain('thrown at the end');
  expect(indexOf(throwing).problems).toContain('The test run failed: Vitest ended with exit code 1.');
  const strict = start(sound(), '', '', "process.on('exit', () => { process.exitCode = 5; });");
  expect(await strict.run()).toMatchObject({ exitCode: 5, passed: 1, failed: 0 });
  expect(indexOf(strict).problems).toContain('The test run failed: Vitest ended with exit code 5.');
  const beside = start(sound(), '', "throw new Error('no mug');");
  expect(await beside.run()).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expect(indexOf(beside).problems).toContain(
    'The test run failed: 1 of the other tests did not pass: native.test.ts > Buys a mug.',
  );
  expect(await beside.run(['recipes'])).toMatchObject({ exitCode: 0, passed: 1 });
  expect(indexOf(beside).problems).toBe('');
});
