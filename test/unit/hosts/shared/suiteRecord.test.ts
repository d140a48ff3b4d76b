import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { SuiteEntry } from '../../../../src/evidence/suite.js';
import { readSuiteIndex, type SuiteView, writeSuiteIndex } from '../../../../src/evidence/suiteIndex.js';
import type { Summary } from '../../../../src/evidence/summary.js';
import { type RunEnding, recordPackage, removeIndexEntries, SuiteRecord } from '../../../../src/hosts/shared/suiteRecord.js';
import { suitePage } from '../../../../src/review/suite/suitePage.js';
import { directory, jsonIn, realPackage } from '../../evidence/packages.js';

const view: SuiteView = { page: suitePage };
const claims = [{ id: 'AC1', claim: 'It works.' }];

/** Writes the summary of a recipe that passed, and returns its entry. */
async function passed(dir: string, name: string): Promise<SuiteEntry> {
  const proof = [{ ...claims[0], status: 'proven', held: 1, failed: 0, artifacts: 0 }];
  const summary = { ...jsonIn(await realPackage(), 'summary.json'), status: 'pass', proof } as unknown as Summary;
  mkdirSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, name, 'summary.json'), JSON.stringify(summary));
  return { name, summary };
}

const heading = (dir: string): string | undefined => /<h1>(.*?)<\/h1>/.exec(readFileSync(join(dir, 'index.html'), 'utf8'))?.[1];
const outcomes = (dir: string) =>
  (readSuiteIndex(dir)?.entries ?? []).map(({ name, summary, notRun }) => [name, summary?.status ?? (notRun ? 'not run' : '?')]);

async function yesterday(dir: string): Promise<void> {
  writeSuiteIndex(dir, [await passed(dir, 'a'), await passed(dir, 'b')], view);
  expect(heading(dir)).toBe('2 of 2 recipes passed');
}

test('a run that begins lists every recipe of its plan and of the previous run as unknown', async () => {
  const dir = directory();
  await yesterday(dir);
  const record = new SuiteRecord(dir);
  record.start([{ name: 'b' }, { name: 'new', claims }]);
  expect(heading(dir)).toBe('3 recipes planned, 0 finished: unknown');
  expect(outcomes(dir)).toEqual([
    ['b', '?'],
    ['new', '?'],
    ['a', '?'],
  ]);
  const text = readFileSync(join(dir, 'index.md'), 'utf8');
  expect(text).toContain('3 claimed: 0 proven, 0 refuted, 3 unproven, 0 blocked.');
});

test('a recipe that is missing from the plan stays in the index of one finished run', async () => {
  const dir = directory();
  await yesterday(dir);
  new SuiteRecord(dir).start([{ name: 'b' }]);
  // This run is killed, and the next run ends.
  const ends = async (): Promise<void> => {
    const record = new SuiteRecord(dir);
    record.start([{ name: 'b' }]);
    record.end([await passed(dir, 'b')], view);
  };
  await ends();
  expect(outcomes(dir)).toEqual([
    ['b', 'pass'],
    ['a', 'not run'],
  ]);
  expect(readSuiteIndex(dir)?.entries[1]).toMatchObject({ removed: true, claims });
  await ends();
  expect(outcomes(dir)).toEqual([['b', 'pass']]);
});

test('a run that ends without a reporter keeps its recorded packages, and lists other recipes without a result', async () => {
  const dir = directory();
  await yesterday(dir);
  const record = new SuiteRecord(dir);
  record.start([{ name: 'a' }, { name: 'b' }]);
  recordPackage(dir, await passed(dir, 'b'));
  expect(outcomes(dir)).toEqual([
    ['a', '?'],
    ['b', 'pass'],
  ]);
  expect(heading(dir)).toBe('2 recipes planned, 1 finished: unknown');
  record.abandon();
  expect(heading(dir)).toBe('1 of 2 recipes passed');
  expect(readSuiteIndex(dir)?.entries[0]?.detail).toBe('The run ended without a package of this recipe.');
});

const ending: RunEnding = { host: 'Playwright', exitCode: 0, plan: [], selection: [], isComplete: true };
const plan = [{ name: 'a', claims }, { name: 'b' }, { name: 'flows/one' }];

/** Abandons a run with `plan`, a catalog that counts as one recipe, and a package of b. */
async function abandoned(changes: Partial<RunEnding>): Promise<{ dir: string; exitCode: number }> {
  const dir = directory();
  await yesterday(dir);
  const record = new SuiteRecord(dir);
  record.start([{ name: 'a' }, { name: 'b' }, { name: 'flows' }], changes.selection);
  recordPackage(dir, await passed(dir, 'b'));
  return { dir, exitCode: record.abandon({ ...ending, plan, ...changes }) };
}

test('a passed run without a reporter counts recipes that an option left out as not run', async () => {
  const { dir, exitCode } = await abandoned({ selection: ['--grep @AC1'] });
  expect(exitCode).toBe(0);
  expect(heading(dir)).toBe('1 of 3 recipes passed, 2 not run (--grep @AC1)');
  expect(readSuiteIndex(dir)?.entries[0]).toMatchObject({ name: 'a', detail: 'Left out by --grep @AC1.', claims });
});

test('an exit code of 1 makes the run fail in its index, and leaves missing recipes unknown', async () => {
  const { dir, exitCode } = await abandoned({ exitCode: 1, selection: ['--grep @AC1'] });
  expect(exitCode).toBe(1);
  expect(heading(dir)).toBe('1 of 3 recipes passed, but the run failed');
  expect(jsonIn(dir, 'suite.json')).toMatchObject({
    totals: { unknown: 2, not_run: 0 },
    problems: ['The test run failed: Playwright ended with exit code 1.'],
  });
});

test('a recipe whose package is written later stays unknown', async () => {
  const { dir } = await abandoned({ isComplete: false });
  expect(jsonIn(dir, 'suite.json').totals).toMatchObject({ passed: 1, unknown: 2, not_run: 0 });
});

test('a run without a reporter ends with 1 when a recipe did not pass, even if its exit code was 0', async () => {
  const dir = directory();
  const record = new SuiteRecord(dir);
  record.start(plan);
  const { summary } = await passed(dir, 'a');
  const failed = { ...summary, status: 'fail' } as Summary;
  writeFileSync(join(dir, 'a', 'summary.json'), JSON.stringify(failed));
  recordPackage(dir, { name: 'a', summary: failed });
  expect([record.abandon({ ...ending, plan }), record.abandon({ ...ending, plan })]).toEqual([1, 1]);
});

test('a run ends with 1 when its reporter did not end it', async () => {
  const dir = directory();
  const record = new SuiteRecord(dir);
  record.hasReporter = true;
  record.start([{ name: 'b' }]);
  record.put(await passed(dir, 'b'));
  expect(record.abandon({ ...ending, plan: [{ name: 'b' }] })).toBe(1);
  expect(heading(dir)).toBe('1 of 1 recipes passed, but the run failed');
});

test('the index is updated while packages are recorded, but written less often than packages', async () => {
  const dir = directory();
  const names = Array.from({ length: 300 }, (_, index) => `r${index}`);
  const one = await passed(dir, 'r0');
  const record = new SuiteRecord(dir);
  record.start(names.map((name) => ({ name })));
  let writes = 0;
  let last = readFileSync(join(dir, 'suite.json'), 'utf8');
  for (const name of names) {
    record.put({ ...one, name });
    await new Promise(setImmediate);
    const now = readFileSync(join(dir, 'suite.json'), 'utf8');
    if (now !== last) writes++;
    last = now;
  }
  expect(writes).toBeLessThan(100);
  while (jsonIn(dir, 'suite.json').totals.executed < 300) await new Promise((again) => setTimeout(again, 20));
  expect(heading(dir)).toBe('300 recipes planned, 300 finished: unknown');
});

test('no package is lost when several processes record packages at the same time', async () => {
  const dir = directory();
  const names = Array.from({ length: 12 }, (_, index) => `r${index}`);
  for (const name of names) await passed(dir, name);
  new SuiteRecord(dir).start(names.map((name) => ({ name })));
  const codes = await Promise.all(
    [0, 1, 2].map((part) =>
      recordIn(
        dir,
        names.filter((_, index) => index % 3 === part),
      ),
    ),
  );
  expect(codes).toEqual([0, 0, 0]);
  expect(jsonIn(dir, 'suite.json').totals).toMatchObject({ declared: 12, passed: 12, unknown: 0 });
  expect(readdirSync(dir).filter((name) => name.startsWith('.suite') || name.endsWith('.partial'))).toEqual([]);
});

test('the index does not list a package that was removed from it', async () => {
  const dir = directory();
  new SuiteRecord(dir).start([{ name: 'a' }, { name: 'b' }]);
  recordPackage(dir, await passed(dir, 'b'));
  removeIndexEntries(dir, (name) => name === 'b');
  expect(outcomes(dir)).toEqual([['a', '?']]);
});

test('the first recorded package makes the other recipes of a finished index unknown', async () => {
  const dir = directory();
  await yesterday(dir);
  recordPackage(dir, { ...(await passed(dir, 'b')), name: 'b' });
  expect(outcomes(dir)).toEqual([
    ['a', '?'],
    ['b', 'pass'],
  ]);
});

test('the first recorded package begins an index in a directory without one', async () => {
  const dir = directory();
  expect(existsSync(join(dir, 'suite.json'))).toBe(false);
  recordPackage(dir, await passed(dir, 'b'));
  expect(outcomes(dir)).toEqual([['b', 'pass']]);
});

/** Records packages in another process. */
function recordIn(dir: string, names: readonly string[]): Promise<number | null> {
  const root = dirname(fileURLToPath(new URL('../../../../package.json', import.meta.url)));
  const code = `
    import { createJiti } from 'jiti';
    import { readFileSync } from 'node:fs';
    const { recordPackage } = await createJiti(${JSON.stringify(`${root}/`)}).import(${JSON.stringify(join(root, 'src/hosts/shared/suiteRecord.ts'))});
    for (const name of ${JSON.stringify(names)})
      recordPackage(${JSON.stringify(dir)}, { name, summary: JSON.parse(readFileSync(${JSON.stringify(dir)} + '/' + name + '/summary.json', 'utf8')) });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => child.once('close', resolve));
}
