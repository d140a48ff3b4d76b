// A suite is what its index lists: verify, compare and review do not take a package that is missing, added or swapped for one of it.
import {
  cpSync,
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
import { answer } from '../../../src/cli/verify.js';
import { type SuiteEntry, type SuiteRun, writeSuiteIndex } from '../../../src/evidence/suiteIndex.js';
import { runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { rowsIn } from '../../../src/review/serve/suiteRows.js';
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

/** Two recipes of one run, in packages of their own, with the index of the run. */
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

type Index = { state?: string; scope_digest?: string; resolutions: Record<string, unknown>[] };

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

const doubts = (dir: string) => rowsIn(dir).flatMap(({ name, doubt }) => (doubt?.isBroken ? [name] : []));

test('verify says of a suite that all of it is there, what it proves, and that nobody signed it', async () => {
  const dir = await suite();
  const { exitCode, text, document } = answer([dir], {});
  expect(text).toBe(
    'Suite: verified, pass: 2 of 2 recipes passed\n  verified pass     recipes/a\n  verified pass     recipes/b\nCommit: none is recorded\nUnsigned: nothing here proves who wrote the files.\n',
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
  ['a recipe left nothing', { more: [{ name: 'recipes/c' }] }, 'verified', 'unknown: 2 of 3 recipes passed, 1 unknown'],
  ['the run has not ended', { run: { state: 'running' } }, 'incomplete', 'unknown: the run has begun and has not ended'],
])('verify is not green for a suite in which %s', async ([, options, status, verdict]) => {
  const { exitCode, text } = answer([await suite(options)], {});
  expect([exitCode, text]).toEqual([1, expect.stringContaining(`Suite: ${status}, ${verdict}`)]);
});

test('a recipe that was skipped on purpose is counted, and proves nothing against the others', async () => {
  const { exitCode, text } = answer([await suite({ more: [{ name: 'recipes/c', skipped: true }] })], {});
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
])('a suite is refused when %s', async ([what, change, code]) => {
  const dir = await suite({ bad: true });
  const honest = join(dir, '../honest');
  cpSync(dir, honest, { recursive: true });
  change(dir);
  const { exitCode, text, document } = answer([dir], {});
  expect([exitCode, text]).toEqual([1, expect.stringContaining('Suite: invalid, unknown: the evidence does not hold')]);
  expect(codesIn(document)).toContain(code);
  // Those who show a suite take every verdict from its packages, whatever the index says.
  if (code === 'suite.other_verdict') return;
  if (code === 'suite.missing_package') expect(() => compareAnswer([honest, dir], {})).toThrow('is no evidence package');
  else {
    expect({ what, exitCode: compareAnswer([honest, dir], {}).exitCode }).toEqual({ what, exitCode: 1 });
    expect(doubts(dir)).toEqual([code === 'suite.unlisted_package' ? 'recipes/c' : 'recipes/b']);
  }
});

test('packages of two work trees are not one suite, whatever its index says', async () => {
  const dir = await suite({
    before: (root) => void gitRepository(root),
    between: (root) => writeFileSync(join(root, 'new.txt'), 'not committed'),
  });
  const { exitCode, document } = answer([dir], {});
  expect([exitCode, codesIn(document)]).toEqual([1, ['suite.differing_trees', 'suite.differing_trees']]);
});

test('a suite of a clean commit is verified for that commit, and for no other', async () => {
  const dir = await suite({ before: (root) => void gitRepository(root) });
  const { git_ref } = JSON.parse(readFileSync(join(dir, 'recipes/a/summary.json'), 'utf8')) as { git_ref: string };
  const { exitCode, text } = answer([dir], { gitRef: git_ref });
  expect([exitCode, text]).toEqual([0, expect.stringContaining(`Commit: ${git_ref}, clean\n`)]);
  expect(answer([dir], { gitRef: '0123456789abcdef' }).exitCode).toBe(1);
});

test('review says which package it does not trust, and ends with 1 then', async () => {
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

test('options for one package are refused for a suite', async () => {
  const dir = await suite();
  expect(() => answer([dir], { statement: 'x.json' })).toThrow('--statement is for one package');
  expect(() => answer([dir], { recipe: join(dir, '../recipes/a.recipe.json') })).toThrow('--recipe is for one package');
});
