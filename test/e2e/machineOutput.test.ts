// Machine-readable reports contain no other output of ours.
import { expect, type Files, type Project, type ProjectOptions, type Run, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';
import type { JsonReport } from '../support/report.js';

// Tests share the run whose report is JUnit.
test.describe.configure({ mode: 'default' });

const AC1 = { proofTarget: 'AC1' };
const files = {
  'recipes/green.recipe.json': sound('Green'),
  'recipes/deep/red.recipe.json': recipe(
    { speak: say('hello'), listen: hears('speak', 'goodbye', AC1) },
    { title: 'Red', targets: ['AC1'] },
  ),
  'recipes/unproven.recipe.json': recipe({ speak: say('hello', AC1) }, { title: 'Unproven', targets: ['AC1'] }),
  'recipes/invalid.recipe.json': { schema_version: 1, title: 'Invalid' },
};
const ownReporter = ['recipewright/playwright/reporter'];
const escapes = '\u001b';

type NewProject = (files: Files, options: ProjectOptions) => Project;
let shared: Promise<{ dir: string; junit: Run; merged: Run }> | undefined;

function runJunit(project: NewProject): NonNullable<typeof shared> {
  shared ??= (async () => {
    const inner = project(files, { config: { reporter: [['blob'], ['junit'], ownReporter] } });
    const junit = await inner.run([], { env: { CI: '1' } });
    const merged = await inner.merge(['-c', 'playwright.config.ts', '--reporter=junit', 'blob-report']);
    return { dir: inner.dir, junit, merged };
  })();
  return shared;
}

test('machine-readable stdout contains only the report, and no pipe gets colors', async ({ project }) => {
  const { junit } = await runJunit(project);
  expect(junit.exitCode).toBe(1);
  expect(junit.stdout.trim()).toMatch(/^<testsuites [\s\S]*<\/testsuites>$/);
  expect(junit.stderr).toContain('Recipe evidence in recipe-results');
  expect(junit.stderr).not.toContain(escapes);
  const env = { CI: '1' };
  const inner = project(files, { config: { reporter: [['junit'], ownReporter] } });
  const json = await inner.run(['--reporter=json,recipewright/playwright/reporter', 'green'], { env });
  expect((JSON.parse(json.stdout) as JsonReport).stats).toMatchObject({ expected: 1, unexpected: 0 });
  expect(json.stderr).toContain('Recipe evidence in recipe-results');
  // Without our reporter, there is no summary at all.
  const alone = await inner.run(['--reporter=json', 'green'], { env });
  expect(JSON.parse(alone.stdout)).toHaveProperty('stats');
  expect(alone.stderr).toBe('');
});

test('with a reporter for people, the summary goes to stdout, with colors only when they are requested', async ({ project }) => {
  const inner = project(files, { config: { reporter: [['dot'], ['json', { outputFile: 'report.json' }], ownReporter] } });
  const plain = await inner.run(['green'], { env: { CI: '1' } });
  expect(plain).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  expect(plain.stdout).toContain('  Recipe evidence in recipe-results\n  pass    recipes/green  recipe-results/recipes/green\n');
  const coloured = await inner.run(['green'], { env: { FORCE_COLOR: '1' } });
  expect(coloured.stdout).toContain(`${escapes}[32mpass   ${escapes}[39m recipes/green`);
});

test('the JUnit report names documents, counts refuted claims as failures, and contains nothing private', async ({ project }) => {
  const { dir, junit, merged } = await runJunit(project);
  const expectReport = (xml: string): void => {
    for (const name of Object.keys(files)) {
      expect(xml).toMatch(new RegExp(`<testsuite name="${name}"`));
      expect(xml).toContain(`classname="${name}"`);
    }
    expect(xml).toMatch(/<testsuites [^>]*tests="4" failures="1" skipped="0" errors="2"/);
    expect(xml).toMatch(/<failure message="speak \$ expected contains[^>]*" type="expect\.toPass"/);
    expect(xml).not.toMatch(/node_modules|_recipewright|&quot;seq&quot;|shims/);
    expect(xml.match(/<property [^>]*>/g)?.filter((property) => property.includes(dir))).toEqual([]);
  };
  expect(junit.exitCode).toBe(1);
  expectReport(junit.stdout);
  const packages = Object.fromEntries([...junit.packages].map(([name, { summary }]) => [name, summary.status]));
  expect(packages).toEqual({ 'recipes/green': 'pass', 'recipes/deep/red': 'fail', 'recipes/unproven': 'unknown' });
  expectReport(merged.stdout);
});
