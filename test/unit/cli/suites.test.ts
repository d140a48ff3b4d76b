// A suite is the packages that its index lists: verify, compare and review reject missing, added and swapped packages.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareAnswer } from '../../../src/cli/compare.js';
import { verifyAnswer } from '../../../src/cli/verify.js';
import type { SuiteEntry, SuiteRun } from '../../../src/evidence/suite.js';
import { readSuiteIndex, writeSuiteIndex } from '../../../src/evidence/suiteIndex.js';
import type { Summary } from '../../../src/evidence/summary.js';
import { runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { readSuiteRows } from '../../../src/review/serve/readSuiteRows.js';
import { renderServedPage } from '../../../src/review/serve/renderServedPage.js';
import { cliProject } from '../../support/cli.js';
import { gitRepository } from '../../support/gitRepository.js';
import { recipeOf } from '../../support/plain.js';

const claims = { proofTargets: [{ id: 'AC1', claim: 'It is good.' }] };
const recipe = (cmd: string) =>
  recipeOf(
    {
      check: {
        action: 'command',
        cmd,
        assert: { path: '$.exitCode', operator: 'eq', value: 0 },
        proofTarget: 'AC1',
        next: 'done',
      },
    },
    claims,
  );

type Options = {
  bad?: boolean;
  more?: SuiteEntry[];
  run?: SuiteRun;
  before?(root: string): void;
  between?(root: string): void;
};

/** Writes the packages of two recipes of one run, with the index of the run. */
async function suite({ bad = false, more = [], run = {}, before, between }: Options = {}): Promise<string> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'recipewright-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'recipes'));
  const out = join(root, 'out');
  const commands = { a: 'true', b: bad ? 'false' : 'true' };
  for (const [name, cmd] of Object.entries(commands))
    writeFileSync(join(root, `recipes/${name}.recipe.json`), JSON.stringify(recipe(cmd)));
  before?.(root);
  const entries: SuiteEntry[] = [];
  for (const name of Object.keys(commands)) {
    const file = join(root, `recipes/${name}.recipe.json`);
    const result = await runRecipe(file, { artifactsDir: join(out, `recipes/${name}`), projectRoot: root });
    if (!result.ran) throw new Error(result.findings[0]?.message);
    entries.push({ name: `recipes/${name}`, summary: result.summary });
    if (name === 'a') between?.(root);
  }
  writeSuiteIndex(out, [...entries, ...more], {}, run);
  return out;
}

type Index = {
  state?: string;
  scope_digest?: string;
  started_at?: string;
  totals: Record<string, number>;
  resolutions: Record<string, unknown>[];
};

function editIndex(dir: string, edit: (index: Index) => void): void {
  const file = join(dir, 'suite.json');
  const index = JSON.parse(readFileSync(file, 'utf8')) as Index;
  edit(index);
  writeFileSync(file, JSON.stringify(index, null, 2));
}

function copyOver(dir: string, from: string, to: string): void {
  rmSync(join(dir, to), { recursive: true, force: true });
  cpSync(join(dir, from), join(dir, to), { recursive: true });
}

const codesIn = (document: unknown) => (document as { findings: { code: string }[] }).findings.map(({ code }) => code);

const startOf = (dir: string) => (JSON.parse(readFileSync(join(dir, 'recipes/a/summary.json'), 'utf8')) as Summary).startedAt;

const doubts = (dir: string) => readSuiteRows(dir).flatMap(({ name, trustProblem }) => (trustProblem?.isBroken ? [name] : []));

test('verify reports that a suite is complete, what it proves, and that it is unsigned', async () => {
  const dir = await suite();
  const { exitCode, text, document } = verifyAnswer([dir], {});
  expect(text).toBe(
    `Suite: verified, pass: 2 of 2 recipes passed\n  verified pass     recipes/a\n  verified pass     recipes/b\nCommit: not recorded\nRun: ${startOf(dir)}\nUnsigned: nothing here proves who wrote the files.\n`,
  );
  expect(exitCode).toBe(0);
  expect(document).toMatchObject({
    ...{ status: 'verified', verdict: 'pass', reason: '2 of 2 recipes passed', findings: [], signed: false },
    packages: [
      { name: 'recipes/a', status: 'verified', verdict: 'pass', recipe: { id: 'recipes/a' }, signed: false },
      { name: 'recipes/b', status: 'verified', verdict: 'pass', recipe: { id: 'recipes/b' }, signed: false },
    ],
  });
  expect(doubts(dir)).toEqual([]);
  expect(compareAnswer([dir, dir], {}).exitCode).toBe(0);
});

test.for<[string, Options, string, string]>([
  ['a recipe failed', { bad: true }, 'verified', 'fail: 1 of 2 recipes passed, 1 failed'],
  [
    'a recipe was not run',
    { more: [{ name: 'recipes/c', notRun: true }] },
    'verified',
    'unknown: 2 of 3 recipes passed, 1 not run',
  ],
  ['a recipe has no package', { more: [{ name: 'recipes/c' }] }, 'verified', 'unknown: 2 of 3 recipes passed, 1 unknown'],
  ['the run has not ended', { run: { state: 'running' } }, 'incomplete', 'unknown: the run has not ended, or was killed'],
])('verify does not pass a suite in which %s', async ([, options, status, verdict]) => {
  const { exitCode, text } = verifyAnswer([await suite(options)], {});
  expect([exitCode, text]).toEqual([1, expect.stringContaining(`Suite: ${status}, ${verdict}`)]);
});

test('a recipe that was skipped on purpose is counted and does not fail the suite', async () => {
  const { exitCode, text } = verifyAnswer([await suite({ more: [{ name: 'recipes/c', skipped: true }] })], {});
  expect([exitCode, text]).toEqual([0, expect.stringContaining('pass: 2 of 3 recipes passed, 1 skipped')]);
});

const good = (dir: string) => copyOver(dir, 'recipes/a', 'recipes/b');

test.for<[what: string, change: (dir: string) => void, code: string]>([
  ['a good package was copied over a bad one', good, 'suite.other_package'],
  [
    'a good package was copied over a bad one, and the index made to fit',
    (dir) => {
      good(dir);
      editIndex(dir, ({ resolutions: [a, b] }) =>
        Object.assign(b ?? {}, { ...a, id: 'recipes/b', summary_path: 'recipes/b/summary.json' }),
      );
    },
    'suite.other_package',
  ],
  ['a package is missing', (dir) => rmSync(join(dir, 'recipes/b'), { recursive: true }), 'suite.missing_package'],
  ['a package was added', (dir) => copyOver(dir, 'recipes/a', 'recipes/c'), 'suite.unlisted_package'],
  [
    'the index was edited to pass',
    (dir) => editIndex(dir, ({ resolutions: [, b] }) => Object.assign(b ?? {}, { status: 'pass' })),
    'suite.other_verdict',
  ],
  [
    'the index pins a package no more',
    (dir) => editIndex(dir, ({ resolutions: [, b] }) => delete b?.summary_digest),
    'suite.other_package',
  ],
  [
    'a package is a link to another place',
    (dir) => {
      renameSync(join(dir, 'recipes/b'), join(dir, '../elsewhere'));
      symlinkSync(join(dir, '../elsewhere'), join(dir, 'recipes/b'));
    },
    'suite.other_package',
  ],
  [
    'an entry names another place',
    (dir) => editIndex(dir, ({ resolutions: [, b] }) => Object.assign(b ?? {}, { summary_path: 'recipes/a/summary.json' })),
    'suite.other_package',
  ],
  [
    'a recipe was struck out of it',
    (dir) => {
      rmSync(join(dir, 'recipes/b'), { recursive: true });
      editIndex(dir, ({ resolutions, totals }) => {
        resolutions.pop();
        Object.assign(totals, { declared: 1, executed: 1, failed: 0 });
      });
    },
    'suite.changed_index',
  ],
  [
    'the index counts other verdicts than it lists',
    (dir) => editIndex(dir, ({ totals }) => Object.assign(totals, { passed: 2, failed: 0 })),
    'suite.changed_index',
  ],
  ['the digest of the index was removed', (dir) => editIndex(dir, (index) => delete index.scope_digest), 'suite.changed_index'],
  [
    'the index says another time than its packages',
    (dir) => editIndex(dir, (index) => Object.assign(index, { started_at: '2030-01-01T00:00:00.000Z' })),
    'suite.changed_index',
  ],
])('verify refuses a suite when %s', async ([what, change, code]) => {
  const dir = await suite({ bad: true });
  const honest = join(dir, '../honest');
  cpSync(dir, honest, { recursive: true });
  change(dir);
  const { exitCode, text, document } = verifyAnswer([dir], {});
  expect([exitCode, text]).toEqual([1, expect.stringContaining('Suite: invalid, unknown: the evidence does not hold')]);
  expect(codesIn(document)).toContain(code);
  // No line of a rejected package says "pass".
  if (code === 'suite.other_package') expect(text).toContain('  invalid unknown  recipes/b\n');
  // Pages and comparisons read every verdict from the packages, not from the index.
  if (code === 'suite.other_verdict') return;
  if (code === 'suite.changed_index') {
    const compared = compareAnswer([honest, dir], { markdown: true });
    expect([compared.exitCode, compared.text]).toEqual([1, expect.stringContaining('## Worse: the suite after is not intact')]);
    expect(renderServedPage(dir, '')).toContain('Not intact.</strong> suite.json ');
  } else if (code === 'suite.missing_package')
    expect(() => compareAnswer([honest, dir], {})).toThrow('is not an evidence package');
  else {
    expect({ what, exitCode: compareAnswer([honest, dir], {}).exitCode }).toEqual({ what, exitCode: 1 });
    expect(doubts(dir)).toEqual([code === 'suite.unlisted_package' ? 'recipes/c' : 'recipes/b']);
  }
});

test('a suite of another implementation is not reported as changed', async () => {
  const dir = await suite();
  const resolutions = ['recipes/a', 'recipes/b'].map((id) => ({
    id,
    kind: 'verdict',
    status: 'pass',
    summary_path: `s/${id}.json`,
  }));
  writeFileSync(join(dir, 'suite.json'), JSON.stringify({ suite_id: 'shop', totals: { declared: 2 }, resolutions }));
  const { exitCode, document } = verifyAnswer([dir], {});
  expect([exitCode, codesIn(document)]).toEqual([1, ['suite.not_pinned']]);
  expect(compareAnswer([dir, dir], {}).exitCode).toBe(0);
  expect(doubts(dir)).toEqual([]);
});

test('verify does not pass a suite whose run had problems outside its recipes', async () => {
  const problem = 'shard 2 of 4: The report of this shard is missing from the merge.';
  const dir = await suite({ run: { problems: [problem] } });
  const { exitCode, text } = verifyAnswer([dir], {});
  expect([exitCode, text]).toEqual([1, expect.stringContaining(`verified, unknown: 2 of 2 recipes passed, but ${problem}\n`)]);
  expect(renderServedPage(dir, '')).toContain(problem);
});

const replaceable = 'This directory belongs to recipewright and is replaced by the next run.\n';

test('a run removes the packages of recipes that no longer exist, but no packages of other suites', async () => {
  const dir = await suite();
  const entries = readSuiteIndex(dir)?.entries ?? [];
  // A recipe of this repository, as if another config wrote its packages to the same directory.
  const ofOtherConfig = 'test/e2e/commandLine';
  const removedNames = ['recipes/gone', 'recipes/told', 'recipes/a--repeat1'];
  const keptNames = ['other/recipes/x', 'recipes/kept', ofOtherConfig];
  for (const name of [...removedNames, ...keptNames]) {
    copyOver(dir, 'recipes/a', name);
    if (name !== 'recipes/kept') writeFileSync(join(dir, name, '.recipewright'), replaceable);
  }
  mkdirSync(join(dir, '.attempts/recipes/gone'), { recursive: true });
  cpSync(join(dir, 'recipes/gone'), join(dir, '.attempts/recipes/gone/0'), { recursive: true });
  // Another suite in the same directory.
  writeFileSync(join(dir, 'other/suite.json'), '{}');
  const all = [...removedNames, '.attempts/recipes/gone/0', ...keptNames];
  const listExisting = () => all.filter((name) => existsSync(join(dir, name)));
  writeSuiteIndex(dir, entries, {}, { state: 'running' });
  expect(listExisting()).toEqual(all);
  writeSuiteIndex(dir, [...entries, { name: 'recipes/told', notRun: true, removed: true }]);
  expect(listExisting()).toEqual(keptNames);
  for (const name of ['other', 'recipes/kept', ofOtherConfig]) rmSync(join(dir, name), { recursive: true });
  writeSuiteIndex(dir, entries);
  expect(verifyAnswer([dir], {}).exitCode).toBe(0);
});

test('verify reports a package of an earlier run that the last run did not replace', async () => {
  const dir = await suite();
  const earlier = join(dir, 'recipes/b');
  const fresh = join(dir, '../fresh');
  cpSync(earlier, fresh, { recursive: true });
  const verifyPackage = (place = earlier) => {
    const { exitCode, text } = verifyAnswer([place], {});
    return [exitCode, text.split('\n').find((line) => line.startsWith('Evidence:'))];
  };
  expect(verifyPackage()).toEqual([0, 'Evidence: verified, pass: 1 of 1 claims proven']);
  const [a] = readSuiteIndex(dir)?.entries ?? [];
  writeSuiteIndex(dir, [a as SuiteEntry, { name: 'recipes/b', notRun: true, detail: 'Left out by --grep @AC-a.' }]);
  const why =
    'The package is of an earlier run: the index of its suite says that "recipes/b" was not run (Left out by --grep @AC-a.).';
  expect(verifyPackage()).toEqual([1, `Evidence: invalid, unknown: ${why}`]);
  expect(verifyAnswer([earlier], {}).document).toMatchObject({ proof: [], findings: [{ code: 'suite.earlier_package' }] });
  const statement = join(dir, '../statement.json');
  expect(verifyAnswer([earlier], { statement }).text).toContain('No statement was written');
  expect(compareAnswer([fresh, earlier], {})).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining(`not verified, after: ${why}`),
  });
  expect(compareAnswer([earlier, fresh], {}).exitCode).toBe(0);
  for (const page of [renderServedPage(dir, 'recipes/b'), renderServedPage(earlier, '')])
    expect(page).toContain('The package is of an earlier run');
  // A copy of the package in another directory is still verified.
  expect(verifyPackage(fresh)[0]).toBe(0);
  expect(verifyPackage(join(dir, 'recipes/a'))[0]).toBe(0);

  writeSuiteIndex(dir, [a as SuiteEntry, { name: 'recipes/b' }], {}, { state: 'running' });
  expect(verifyPackage()).toEqual([1, expect.stringContaining('and does not list "recipes/b" yet')]);
});

test('verify refuses a package that another one was copied over', async () => {
  const dir = await suite({ bad: true });
  good(dir);
  const { exitCode, document } = verifyAnswer([join(dir, 'recipes/b')], {});
  expect([exitCode, codesIn(document)]).toEqual([1, ['suite.other_package']]);
});

test('packages of two work trees are not one suite, even if the index lists both', async () => {
  const dir = await suite({
    before: (root) => void gitRepository(root),
    between: (root) => writeFileSync(join(root, 'new.txt'), 'not committed'),
  });
  const { exitCode, document } = verifyAnswer([dir], {});
  expect([exitCode, codesIn(document)]).toEqual([1, ['suite.differing_trees', 'suite.differing_trees']]);
});

test('a suite of a clean commit is verified for that commit, and for no other', async () => {
  const dir = await suite({ before: (root) => void gitRepository(root) });
  const { git_ref } = JSON.parse(readFileSync(join(dir, 'recipes/a/summary.json'), 'utf8')) as { git_ref: string };
  const { exitCode, text } = verifyAnswer([dir], { gitRef: git_ref });
  expect([exitCode, text]).toEqual([
    0,
    expect.stringContaining(`Commit: ${git_ref}, clean (files that git ignores are not covered)\n`),
  ]);
  expect(verifyAnswer([dir], { gitRef: '0123456789abcdef' }).exitCode).toBe(1);
});

test('review names the package it does not trust, and exits with 1', async () => {
  const dir = await suite({ bad: true });
  const { start } = cliProject({});
  const review = async () => {
    const { child, ended } = start('review', dir, '--no-open');
    await new Promise<void>((resolve) => child.stdout?.on('data', (text) => String(text).includes('Ctrl+C') && resolve()));
    child.kill('SIGINT');
    return ended;
  };
  expect(await review()).toMatchObject({ exitCode: 0 });
  good(dir);
  const { exitCode, stderr } = await review();
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('suite.other_package')]);
});

test('verify refuses options for one package when it gets a suite', async () => {
  const dir = await suite();
  expect(() => verifyAnswer([dir], { statement: 'x.json' })).toThrow('--statement needs one package');
  expect(() => verifyAnswer([dir], { recipe: join(dir, '../recipes/a.recipe.json') })).toThrow('--recipe needs one package');
});
