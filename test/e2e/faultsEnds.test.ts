// A run that is ended from outside, or loses a worker, is never green (rows F25 and F27 in this host).
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runCount } from '../property/runCount.js';
import { expectChain, expectWhole } from '../support/evidence.js';
import { readHtmlReport } from '../support/htmlReport.js';
import { packageOf } from '../support/packages.js';
import { expect, type Project, type Run, test } from '../support/project.js';
import { recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';
import { unzip } from '../support/zip.js';

const setup = setupFile(
  {
    'lab.hang': "writeFileSync('hanging', ''); console.log('it hangs'); await new Promise(() => undefined);",
    'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
    'lab.abort': 'process.abort();',
    'lab.exit': 'process.exit(0);',
  },
  "import { writeFileSync } from 'node:fs';",
);

const reporters = (...more: string[]) => [
  ['list'],
  ['json', { outputFile: 'report.json' }],
  ['junit', { outputFile: 'junit.xml' }],
  ['html'],
  ...more.map((name) => [name]),
  ['recipewright/playwright/reporter'],
];

const times = (usual: number): number[] => Array.from({ length: runCount(usual).numRuns ?? usual }, (_, index) => index);
const writtenAt = ({ dir }: Project, file: string): number => statSync(join(dir, file)).mtimeMs;
const textOf = ({ dir }: Project, file: string): string => readFileSync(join(dir, file), 'utf8');

type Suite = { totals: Record<string, number>; resolutions: { id: string; kind: string; status?: string }[] };
const suiteOf = (inner: Project): Suite => JSON.parse(textOf(inner, 'recipe-results/suite.json')) as Suite;

/** Every file of the run can be read and says the same of its tests: red, by title. */
function redIn(inner: Project, run: Run): Record<'json' | 'junit' | 'html', string[]> {
  const cases = [...textOf(inner, 'junit.xml').matchAll(/<testcase name="([^"]*)"[^>]*>(.*?)<\/testcase>/gs)];
  const html = readHtmlReport(join(inner.dir, 'playwright-report/index.html')).flatMap(({ tests }) => tests);
  return {
    json: testsIn(run.report).flatMap(({ ok, title }) => (ok ? [] : [title])),
    junit: cases.flatMap(([, title = '', body = '']) => (/<(failure|error)/.test(body) ? [title] : [])),
    html: html.flatMap((each) => ((each as { ok?: boolean }).ok ? [] : [each.title])),
  };
}

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test(`F25 ${signal} ends a run with ${exitCode}: its package is there within 3 s, every file is whole, nothing is green`, async ({
    project,
  }) => {
    const teardown = [say('bye'), { action: 'command', argv: ['sleep', '20'] }];
    const hanging = recipe({ before: say('alive'), hang: { action: 'lab.hang' } }, { title: 'It hangs', teardown });
    const files = { 'recipes.setup.ts': setup, 'recipes/a.recipe.json': hanging, 'recipes/b.recipe.json': sound() };
    for (const _ of times(1)) {
      const inner = project(files, { config: { reporter: reporters('blob') } });
      const run = await inner.run([], { send: { when: 'it hangs', signal } });
      expect(run).toMatchObject({ exitCode, passed: 0 });
      const found = packageOf(run, 'recipes/a');
      expect(writtenAt(inner, 'recipe-results/recipes/a/summary.json') - writtenAt(inner, 'hanging')).toBeLessThan(3_000);
      expectWhole(found);
      expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown' });
      expect(found.trace.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
        ['before', true],
        ['hang', false],
        ['teardown:0', true],
        ['teardown:1', false],
      ]);
      expect(suiteOf(inner)).toMatchObject({
        totals: { declared: 2, executed: 1, passed: 0, failed: 0, unknown: 2, skipped: 0 },
      });
      expect(testsIn(run.report).map(({ results }) => results.map(({ status }) => status))).toEqual([['interrupted'], []]);
      expect(textOf(inner, 'junit.xml').trimEnd()).toMatch(/<\/testsuites>$/);
      expect(readHtmlReport(join(inner.dir, 'playwright-report/index.html')).length).toBeGreaterThan(0);
      expect(unzip(readFileSync(join(inner.dir, 'blob-report/report.zip'))).size).toBeGreaterThan(0);
    }
  });
}

for (const [action, how] of [
  ['lab.exit', 'code=0'],
  ['lab.abort', 'SIGABRT'],
  ['lab.kill', 'SIGKILL'],
] as const) {
  test(`F27 a worker that dies by ${action} is red in every output file, and no recipe is lost`, async ({ project }) => {
    const dying = recipe({ before: say('alive'), last: { action } }, { title: 'It dies' });
    const files = {
      'recipes.setup.ts': setup,
      'recipes/a.recipe.json': sound('It passed before'),
      'recipes/b.recipe.json': dying,
      'recipes/c.recipe.json': sound('It passes after'),
    };
    const inner = project(files, { config: { reporter: reporters() } });
    const run = await inner.run();
    expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 1, flaky: 0, skipped: 0 });
    expect(run.stdout).toMatch(/ 1 failed\n.*\n.* 2 passed /s);
    expect(redIn(inner, run)).toEqual({ json: ['It dies'], junit: ['It dies'], html: ['It dies'] });

    const { totals, resolutions } = suiteOf(inner);
    const { declared, passed = 0, failed = 0, skipped = 0, unknown = 0 } = totals;
    expect({ declared, passed, failed, skipped, unknown }).toEqual({ declared: 3, passed: 2, failed: 0, skipped: 0, unknown: 1 });
    expect(passed + failed + skipped + unknown).toBe(declared);
    expect(resolutions.map(({ status }) => status)).toEqual(['pass', 'unknown', 'pass']);
    const found = packageOf(run, 'recipes/b');
    expectChain(found);
    expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown', interruptedAt: ['last'] });
    expect(found.summary.reason).toContain(how);
    for (const id of ['recipes/a', 'recipes/c']) expectWhole(packageOf(run, id));
  });
}
