// The work tree that a run records is the tree that its main process read before any recipe could change files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  createTreeChangeLister,
  deferTreeRead,
  finishTreeWatch,
  ignoreReporterFiles,
  ownFilesOf,
  readTreeAtStart,
  rememberTree,
  rereadTree,
} from '../../../src/run/treeAtStart.js';
import { gitRepository } from '../../support/gitRepository.js';

const variable = 'RECIPEWRIGHT_TREE';

beforeEach(() => {
  vi.stubEnv(variable, undefined);
  vi.stubEnv('RECIPEWRIGHT_OUTPUT_DIR', undefined);
});
afterEach(() => void vi.unstubAllEnvs());

function write(dir: string, name: string, text = 'new\n'): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), text);
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  write(dir, 'a.txt', 'one\n');
  return dir;
}

function repository(): string {
  const dir = folder();
  gitRepository(dir);
  return dir;
}

const changesOf = (dir: string): string[] | undefined => readTreeAtStart(dir)?.state?.changes;

test('every recipe of a test run has the tree at the start, whatever changes afterwards', () => {
  const dir = repository();
  rememberTree(dir, {});
  write(dir, 'later.txt');
  expect(changesOf(dir)).toEqual([]);
  expect(changesOf(join(dir, 'recipes'))).toEqual([]);
});

test('without a remembered tree, a process reads the tree once', () => {
  const dir = repository();
  write(dir, 'before.txt');
  expect(changesOf(dir)).toEqual(['before.txt']);
  write(dir, 'later.txt');
  expect(changesOf(dir)).toEqual(['before.txt']);
});

test('a deferred tree is read by the first worker or reporter that needs it', () => {
  const dir = repository();
  const own = ownFilesOf(dir, 'results', ['report']);
  deferTreeRead(dir, own);
  const deferred = process.env[variable];
  for (const begin of [() => undefined, rereadTree]) {
    vi.stubEnv(variable, deferred);
    rmSync(join(dir, 'later.txt'), { force: true });
    write(dir, 'first.txt');
    write(dir, 'report/index.html');
    begin();
    expect(changesOf(dir)).toEqual(['first.txt']);
    write(dir, 'later.txt');
    expect(changesOf(dir)).toEqual(['first.txt']);
  }
});

test('finishTreeWatch lists the changed tracked files once, and the next test run reads the tree again', () => {
  const dir = repository();
  expect(finishTreeWatch()).toBeUndefined();
  rememberTree(dir, {});
  rereadTree();
  write(dir, 'a.txt', 'two\n');
  write(dir, 'new.txt');
  expect(changesOf(dir)).toEqual([]);
  expect(finishTreeWatch()).toMatchObject({ tree: { state: { isDirty: false } }, changed: ['a.txt'] });
  expect(finishTreeWatch()).toBeUndefined();
  // The next test run of the same process has no reporter.
  expect(changesOf(dir)).toEqual(['a.txt', 'new.txt']);
  rereadTree();
  expect(finishTreeWatch()).toMatchObject({ tree: { state: { isDirty: true } }, changed: [] });
});

test('a recipe lists the changed files when it ends, unless a reporter lists them for all recipes', () => {
  const [dir, other] = [repository(), repository()];
  const listerFor = (root: string) => createTreeChangeLister(root, readTreeAtStart(root));
  expect(createTreeChangeLister(dir, undefined)).toBeUndefined();
  rememberTree(dir, {});
  const listChanges = listerFor(dir);
  write(dir, 'a.txt', 'two\n');
  expect(listChanges?.()).toEqual(['a.txt']);
  rereadTree();
  expect(listerFor(dir)).toBeUndefined();
  expect(listerFor(other)?.()).toEqual([]);
});

test('ignoreReporterFiles removes the files of reporters from the changes', () => {
  const dir = repository();
  write(dir, 'out/junit.xml');
  write(dir, 'out/other.xml');
  rememberTree(dir, {});
  expect(changesOf(dir)).toEqual(['out/junit.xml', 'out/other.xml']);
  ignoreReporterFiles(['out/junit.xml']);
  expect(changesOf(dir)).toEqual(['out/other.xml']);
});

test('a recipe of another repository has the tree of that repository, and the first tree stays remembered', () => {
  const [dir, other] = [repository(), repository()];
  rememberTree(dir, {});
  write(dir, 'later.txt');
  write(other, 'other.txt');
  expect(changesOf(other)).toEqual(['other.txt']);
  write(other, 'more.txt');
  expect(changesOf(other)).toEqual(['more.txt', 'other.txt']);
  expect(changesOf(dir)).toEqual([]);
});

test('a project outside a repository has no tree, also after rememberTree', () => {
  const dir = folder();
  expect(readTreeAtStart(dir)).toBeUndefined();
  rememberTree(dir, {});
  expect(readTreeAtStart(dir)).toBeUndefined();
});

test('rereadTree uses the remembered tree for the first test run and reads the tree again for each later one', () => {
  const dir = repository();
  rememberTree(dir, {});
  write(dir, 'first.txt');
  rereadTree();
  expect(changesOf(dir)).toEqual([]);
  rereadTree();
  expect(changesOf(dir)).toEqual(['first.txt']);
  write(dir, 'second.txt');
  expect(changesOf(dir)).toEqual(['first.txt']);
  rereadTree();
  expect(changesOf(dir)).toEqual(['first.txt', 'second.txt']);
});

test('rereadTree does nothing without a remembered tree', () => {
  rereadTree();
  expect(process.env[variable]).toBeUndefined();
});

test('a worker has the tree of its parent process, and a process of another test run does not', () => {
  const dir = repository();
  rememberTree(dir, {});
  const text = process.env[variable] ?? '';
  write(dir, 'later.txt');
  for (const [pid, changes] of [
    [process.ppid, []],
    [process.pid, []],
    // No process has this id, because ids are positive.
    [-1, ['later.txt']],
  ] as const) {
    vi.stubEnv(variable, JSON.stringify({ ...JSON.parse(text), pid }));
    expect([pid, changesOf(dir)]).toEqual([pid, changes]);
  }
});

test('a worker inherits the tree through an environment variable', () => {
  rememberTree(repository(), {});
  const printed = execFileSync('sh', ['-c', `printf %s "$${variable}"`], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toMatchObject({ pid: process.pid, tree: { state: { isDirty: false } } });
});

test('files that the run itself writes are not listed as changes, neither at first nor after rereadTree', () => {
  const dir = repository();
  const own = ownFilesOf(dir, 'results', ['test-results']);
  write(dir, 'test-results/trace.zip');
  write(dir, '.recipewright/state.json');
  rememberTree(dir, own);
  expect(changesOf(dir)).toEqual([]);
  rereadTree();
  write(dir, 'test-results/more.zip');
  write(dir, 'mine.txt');
  rereadTree();
  expect(changesOf(dir)).toEqual(['mine.txt']);
});

test.for([
  ['the default output directory', undefined, undefined, ['/p/recipe-results']],
  ['a configured output directory', 'results', undefined, ['/p/results']],
  ['a configured and an environment output directory', 'results', '/elsewhere', ['/p/results', '/elsewhere']],
] as const)('ownFilesOf returns %s and the directories of the test runner', ([, configured, fromEnv, outputDirs]) => {
  vi.stubEnv('RECIPEWRIGHT_OUTPUT_DIR', fromEnv);
  const own = configured === undefined ? ownFilesOf('/p') : ownFilesOf('/p', configured, ['report']);
  const hostDirs = configured === undefined ? ['/p/.recipewright'] : ['/p/report', '/p/.recipewright'];
  expect(own).toEqual({ outputDirs, hostDirs });
});
