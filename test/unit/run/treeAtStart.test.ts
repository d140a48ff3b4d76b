// The work tree of a run is the one that its main process saw before any recipe could change it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  deferTreeRead,
  finishTreeWatch,
  ignoreReporterFiles,
  ownFilesOf,
  readTreeAtStart,
  rememberTree,
  rereadTree,
  createTreeChangeLister,
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

test('what was remembered is the tree of every recipe, whatever changes after it', () => {
  const dir = repository();
  rememberTree(dir, {});
  write(dir, 'later.txt');
  expect(changesOf(dir)).toEqual([]);
  expect(changesOf(join(dir, 'recipes'))).toEqual([]);
});

test('what nobody remembered is read once for the process', () => {
  const dir = repository();
  write(dir, 'before.txt');
  expect(changesOf(dir)).toEqual(['before.txt']);
  write(dir, 'later.txt');
  expect(changesOf(dir)).toEqual(['before.txt']);
});

test('a tree that was only expected is read by whoever needs it first, a worker or a reporter', () => {
  const dir = repository();
  const own = ownFilesOf(dir, 'results', ['report']);
  deferTreeRead(dir, own);
  const expected = process.env[variable];
  for (const begin of [() => undefined, rereadTree]) {
    vi.stubEnv(variable, expected);
    rmSync(join(dir, 'later.txt'), { force: true });
    write(dir, 'first.txt');
    write(dir, 'report/index.html');
    begin();
    expect(changesOf(dir)).toEqual(['first.txt']);
    write(dir, 'later.txt');
    expect(changesOf(dir)).toEqual(['first.txt']);
  }
});

test('when a run ends the tracked files that changed are known, once, and the next run begins with a new look', () => {
  const dir = repository();
  expect(finishTreeWatch()).toBeUndefined();
  rememberTree(dir, {});
  rereadTree();
  write(dir, 'a.txt', 'two\n');
  write(dir, 'new.txt');
  expect(changesOf(dir)).toEqual([]);
  expect(finishTreeWatch()).toMatchObject({ tree: { state: { isDirty: false } }, changed: ['a.txt'] });
  expect(finishTreeWatch()).toBeUndefined();
  // A run of the same process without a reporter.
  expect(changesOf(dir)).toEqual(['a.txt', 'new.txt']);
  rereadTree();
  expect(finishTreeWatch()).toMatchObject({ tree: { state: { isDirty: true } }, changed: [] });
});

test('a recipe looks at the tree again when it ends, unless a reporter does it for all', () => {
  const [dir, other] = [repository(), repository()];
  const look = (of: string) => createTreeChangeLister(of, readTreeAtStart(of));
  expect(createTreeChangeLister(dir, undefined)).toBeUndefined();
  rememberTree(dir, {});
  const alone = look(dir);
  write(dir, 'a.txt', 'two\n');
  expect(alone?.()).toEqual(['a.txt']);
  rereadTree();
  expect(look(dir)).toBeUndefined();
  expect(look(other)?.()).toEqual([]);
});

test('what the reporters of a run write is no change once they are known', () => {
  const dir = repository();
  write(dir, 'out/junit.xml');
  write(dir, 'out/other.xml');
  rememberTree(dir, {});
  expect(changesOf(dir)).toEqual(['out/junit.xml', 'out/other.xml']);
  ignoreReporterFiles(['out/junit.xml']);
  expect(changesOf(dir)).toEqual(['out/other.xml']);
});

test('a recipe of another repository has the tree of its own, and the first one stays remembered', () => {
  const [dir, other] = [repository(), repository()];
  rememberTree(dir, {});
  write(dir, 'later.txt');
  write(other, 'other.txt');
  expect(changesOf(other)).toEqual(['other.txt']);
  write(other, 'more.txt');
  expect(changesOf(other)).toEqual(['more.txt', 'other.txt']);
  expect(changesOf(dir)).toEqual([]);
});

test('a project outside of a repository has no tree, also where that was remembered', () => {
  const dir = folder();
  expect(readTreeAtStart(dir)).toBeUndefined();
  rememberTree(dir, {});
  expect(readTreeAtStart(dir)).toBeUndefined();
});

test('a process that runs tests again begins its first run with the tree it has, and each later one with a new look', () => {
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

test('nothing is renewed where nothing was remembered', () => {
  rereadTree();
  expect(process.env[variable]).toBeUndefined();
});

test('a worker has the tree of its parent, and a process of another run does not', () => {
  const dir = repository();
  rememberTree(dir, {});
  const text = process.env[variable] ?? '';
  write(dir, 'later.txt');
  for (const [pid, changes] of [
    [process.ppid, []],
    [process.pid, []],
    // No process has it: numbers of processes are positive.
    [-1, ['later.txt']],
  ] as const) {
    vi.stubEnv(variable, JSON.stringify({ ...JSON.parse(text), pid }));
    expect([pid, changesOf(dir)]).toEqual([pid, changes]);
  }
});

test('a worker inherits the tree by its environment', () => {
  rememberTree(repository(), {});
  const said = execFileSync('sh', ['-c', `printf %s "$${variable}"`], { encoding: 'utf8' });
  expect(JSON.parse(said)).toMatchObject({ pid: process.pid, tree: { state: { isDirty: false } } });
});

test('what a run writes itself is no change, neither when it is remembered nor when it is looked at again', () => {
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
  ['by default', undefined, undefined, ['/p/recipe-results']],
  ['that is named', 'results', undefined, ['/p/results']],
  ['that the environment names as well', 'results', '/elsewhere', ['/p/results', '/elsewhere']],
] as const)('the output directory %s belongs to the run, with the folders of the test runner', ([, named, other, outputDirs]) => {
  vi.stubEnv('RECIPEWRIGHT_OUTPUT_DIR', other);
  const own = named === undefined ? ownFilesOf('/p') : ownFilesOf('/p', named, ['report']);
  const hostDirs = named === undefined ? ['/p/.recipewright'] : ['/p/report', '/p/.recipewright'];
  expect(own).toEqual({ outputDirs, hostDirs });
});
