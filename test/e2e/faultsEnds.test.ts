// A run that loses workers never passes (row F27 in this host). Row F25 is in interrupted.thorough.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectChain, expectManifest, expectWhole } from '../support/evidence.js';
import { readHtmlReport } from '../support/htmlReport.js';
import { packageOf } from '../support/packages.js';
import type { Project, Run } from '../support/project.js';
import { recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const setup = setupFile({
  'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
  'lab.abort': 'process.abort();',
  'lab.exit': 'process.exit(0);',
});

const reporter = [
  ['list'],
  ['json', { outputFile: 'report.json' }],
  ['junit', { outputFile: 'junit.xml' }],
  ['html'],
  ['recipewright/playwright/reporter'],
];

const ways = [
  ['lab.exit', 'code=0'],
  ['lab.abort', 'SIGABRT'],
  ['lab.kill', 'SIGKILL'],
] as const;

const titleOf = (action: string): string => `It dies by ${action}`;
const dying = (action: string) =>
  recipe({ before: say('alive'), last: { action }, after: say('never') }, { title: titleOf(action), teardown: [say('bye')] });

const runAll = shareRun(
  {
    'recipes.setup.ts': setup,
    'recipes/0-before.recipe.json': sound('It passed before'),
    ...Object.fromEntries(
      ways.flatMap(([action], index) => [
        [`recipes/${index + 1}-dying.recipe.json`, dying(action)],
        [`recipes/${index + 1}-next.recipe.json`, sound(`It passes after ${action}`)],
      ]),
    ),
  },
  { config: { reporter } },
);

const textOf = ({ dir }: Project, file: string): string => readFileSync(join(dir, file), 'utf8');

type Suite = { totals: Record<string, number>; resolutions: { id: string; kind: string; status?: string }[] };
const suiteOf = (inner: Project): Suite => JSON.parse(textOf(inner, 'recipe-results/suite.json')) as Suite;

/** Reads the titles of the failed tests from every file of the run. */
function redIn(inner: Project, run: Run): Record<'json' | 'junit' | 'html', string[]> {
  const cases = [...textOf(inner, 'junit.xml').matchAll(/<testcase name="([^"]*)"[^>]*>(.*?)<\/testcase>/gs)];
  const html = readHtmlReport(join(inner.dir, 'playwright-report/index.html')).flatMap(({ tests }) => tests);
  return {
    json: testsIn(run.report).flatMap(({ ok, title }) => (ok ? [] : [title])),
    junit: cases.flatMap(([, title = '', body = '']) => (/<(failure|error)/.test(body) ? [title] : [])),
    html: html.flatMap((each) => ((each as { ok?: boolean }).ok ? [] : [each.title])),
  };
}

for (const [index, [action, how]] of ways.entries()) {
  test(`F27 a worker that dies by ${action} fails its test in every output file, the package names the node, and no recipe is lost`, async ({
    project,
  }) => {
    const { inner, run } = await runAll(project);
    expect(run).toMatchObject({ exitCode: 1, passed: 4, failed: 3, flaky: 0, skipped: 0 });
    expect(run.stdout).toMatch(/ 3 failed\n.*\n.* 4 passed /s);
    const red = ways.map(([each]) => titleOf(each));
    expect(redIn(inner, run)).toEqual({ json: red, junit: red, html: red });

    const { totals, resolutions } = suiteOf(inner);
    const { declared, passed = 0, failed = 0, skipped = 0, unknown = 0 } = totals;
    expect({ declared, passed, failed, skipped, unknown }).toEqual({ declared: 7, passed: 4, failed: 0, skipped: 0, unknown: 3 });
    expect(passed + failed + skipped + unknown).toBe(declared);
    expect(resolutions.map(({ status }) => status)).toEqual(['pass', ...ways.flatMap(() => ['unknown', 'pass'])]);
    const found = packageOf(run, `recipes/${index + 1}-dying`);
    expectChain(found);
    expectManifest(found);
    expect(found.files).toContain('recipe.json');
    expect(found.summary).toMatchObject({
      ...{ status: 'unknown', cause_class: 'unknown', interruptedAt: ['last'] },
      ...{ total: 2, passed: 1, failed: 1 },
    });
    expect(found.summary.reason).toContain('interrupted at last: the test failed');
    expect(found.summary.reason).toContain(how);
    expect(found.trace).toMatchObject([
      { nodeId: 'before', ok: true, output: { exitCode: 0, stdout: 'alive\n' } },
      { nodeId: 'last', ok: false, unfinished: true, cause_class: 'unknown' },
    ]);
    expect(found.lines.map(({ t, path }) => `${t} ${path}`)).toEqual(['run ', 'begin before', 'end before', 'begin last']);
    expect(packageOf(run, `recipes/${index + 1}-next`).summary.status).toBe('pass');
    for (const id of ['recipes/0-before', `recipes/${index + 1}-next`]) expectWhole(packageOf(run, id));
  });
}
