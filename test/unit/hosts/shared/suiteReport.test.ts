import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Summary } from '../../../../src/evidence/summary.js';
import { type ReportedPackage, SuiteReport } from '../../../../src/hosts/shared/suiteReport.js';
import { directory, jsonIn, realPackage } from '../../evidence/packages.js';

async function reportPackage(changes: Partial<Summary> = {}): Promise<SuiteReport<ReportedPackage>> {
  const dir = directory();
  const summary = { ...jsonIn(await realPackage(), 'summary.json'), status: 'pass', ...changes } as unknown as Summary;
  const report = new SuiteReport<ReportedPackage>('Playwright', dir);
  report.packages.set('a', { name: 'a', dir: join(dir, 'a'), summary, hasTestPassed: true, isFlaky: false, earlier: 0 });
  return report;
}

function end(report: SuiteReport<ReportedPackage>, outsideProblems: readonly string[] = []): void {
  const entries = [...report.packages.values()].map(({ name, summary }) => ({ name, summary }));
  report.end({ entries, leftOut: [], selection: [], outsideProblems, documents: [] });
}

const problemsIn = ({ outputDir }: SuiteReport<ReportedPackage>) => jsonIn(outputDir, 'suite.json').problems;

test('a run that passed keeps exit code 0', async () => {
  const report = await reportPackage();
  end(report);
  expect(report.hasFailed).toBe(false);
  expect(report.reconcileExitCode(0)).toBe(0);
  expect(problemsIn(report)).toBeUndefined();
});

test('an exit code that is set after a passed run is a problem in its index', async () => {
  const report = await reportPackage();
  end(report);
  expect(report.reconcileExitCode(7)).toBe(7);
  expect(problemsIn(report)).toEqual(['The test run failed: Playwright ended with exit code 7.']);
});

test('an exit code after a problem of the host adds no second problem', async () => {
  const report = await reportPackage();
  end(report, ['The test run failed: a hook failed.']);
  expect(report.reconcileExitCode(1)).toBe(1);
  expect(problemsIn(report)).toEqual(['The test run failed: a hook failed.']);
});

test('a passed test whose evidence does not pass makes the run fail', async () => {
  const report = await reportPackage({ status: 'unknown', reason: 'the journal ends early' });
  end(report);
  expect(report.reconcileExitCode(0)).toBe(1);
  expect(report.listProblems()).toEqual([expect.stringContaining('its evidence says unknown: the journal ends early')]);
});

test('a package that cannot be written makes the run fail, and the problem names its recipe', async () => {
  const report = await reportPackage();
  const reasons: string[] = [];
  report.runGuarded(
    'recipes/b',
    () => {
      throw new Error('ENOSPC');
    },
    (why) => reasons.push(why),
  );
  end(report);
  expect(reasons).toEqual(['ENOSPC']);
  expect(report.hasFailed).toBe(true);
  expect(problemsIn(report)).toEqual(['recipes/b could not be written: ENOSPC']);
});

test('an index that cannot be written makes the run fail', async () => {
  const report = await reportPackage();
  mkdirSync(report.outputDir, { recursive: true });
  writeFileSync(join(report.outputDir, 'index.md'), 'notes of a person');
  end(report);
  expect(report.reconcileExitCode(0)).toBe(1);
  expect(report.listProblems()).toEqual([
    expect.stringMatching(/^the index could not be written: .*index\.md is a file that recipewright did not write/),
  ]);
  expect(readFileSync(join(report.outputDir, 'index.md'), 'utf8')).toBe('notes of a person');
});
