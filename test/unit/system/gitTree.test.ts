// The work tree as git sees it: its commit, what differs, and a digest that two machines agree on.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claimDirectory } from '../../../src/system/files.js';
import { readGitTree, resolveCommit } from '../../../src/system/gitTree.js';
import { gitRepository } from '../../support/gitRepository.js';

function folder(files: Record<string, string> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  write(dir, files);
  return dir;
}

function write(dir: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
}

const files = { 'src/a.txt': 'one\n', 'src/b.txt': 'two\n', '.gitignore': 'ignored/\n' };

test('a clean tree has its commit and the same digest in every clone and folder of it', () => {
  const dir = folder(files);
  const { git } = gitRepository(dir);
  write(dir, { 'ignored/x': 'whatever' });
  const tree = readGitTree(join(dir, 'src'));
  expect(tree).toMatchObject({ commit: git('rev-parse', 'HEAD'), state: { isDirty: false, changes: [], changeCount: 0 } });
  const clone = folder();
  git('clone', '-q', dir, clone);
  expect(readGitTree(clone)?.state).toEqual(tree?.state);
});

test.for<[string, (dir: string) => void, string[]]>([
  ['changed', (dir) => write(dir, { 'src/a.txt': 'three\n' }), ['src/a.txt']],
  ['removed', (dir) => rmSync(join(dir, 'src/a.txt')), ['src/a.txt']],
  ['made a program', (dir) => chmodSync(join(dir, 'src/a.txt'), 0o755), ['src/a.txt']],
  ['added', (dir) => write(dir, { 'a new\nfile.txt': 'new\n' }), ['a new\nfile.txt']],
  ['added in a new folder', (dir) => write(dir, { 'new/one': '1', 'new/two': '2' }), ['new/one', 'new/two']],
  ['added as a link', (dir) => symlinkSync('src/a.txt', join(dir, 'link')), ['link']],
])('a tree in which a file was %s is dirty, and another one than before', ([, change, changes]) => {
  const dir = folder(files);
  gitRepository(dir);
  const before = readGitTree(dir);
  change(dir);
  const after = readGitTree(dir);
  expect(after?.commit).toBe(before?.commit);
  expect(after?.state).toMatchObject({ isDirty: true, changes, changeCount: changes.length });
  expect(after?.state?.digest).not.toBe(before?.state?.digest);
  expect(readGitTree(dir)).toEqual(after);
});

test('the digest follows the contents, whether they are staged or not, on any machine', () => {
  const dir = folder(files);
  const { git } = gitRepository(dir);
  write(dir, { 'src/a.txt': 'three\n', 'new.txt': 'new\n' });
  const tree = readGitTree(dir);
  const copy = folder();
  cpSync(dir, copy, { recursive: true });
  expect(readGitTree(copy)?.state).toEqual(tree?.state);
  git('add', '-A');
  expect(readGitTree(dir)?.state).toEqual(tree?.state);
  write(dir, { 'new.txt': 'newer\n' });
  expect(readGitTree(dir)?.state?.digest).not.toBe(tree?.state?.digest);
});

test('what runs leave behind makes no tree dirty, wherever it lies, and nothing else hides beside it', () => {
  const dir = folder(files);
  gitRepository(dir);
  const clean = readGitTree(dir)?.state;
  for (const place of ['evidence-1', 'results/recipes/a']) {
    claimDirectory(join(dir, place));
    write(dir, { [`${place}/summary.json`]: '{}', [`${place}/screenshots/a.png`]: 'x' });
  }
  write(dir, { 'results/suite.json': '{}', 'results/index.md': '', 'results/.attempts/recipes/a/compare/index.html': '' });
  write(dir, { 'test-results/.last-run.json': '{}' });
  const own = { outputDirs: [join(dir, 'results')], hostDirs: [join(dir, 'test-results')] };
  expect(readGitTree(dir, own)?.state).toEqual(clean);
  write(dir, { 'results/module.mjs': 'export {};', 'src/.recipewright': 'mine', 'src/c.txt': 'three' });
  expect(readGitTree(dir, own)?.state).toMatchObject({
    isDirty: true,
    changes: ['results/module.mjs', 'src/.recipewright', 'src/c.txt'],
  });
});

test('an output directory that is the whole repository, or the tracked files of a test runner, hide nothing', () => {
  const dir = folder({ ...files, 'test-results/a.txt': 'tracked' });
  gitRepository(dir);
  write(dir, { 'src/a.txt': 'three\n', 'test-results/a.txt': 'changed' });
  const own = { outputDirs: [dir], hostDirs: [dir, join(dir, 'test-results')] };
  expect(readGitTree(dir, own)?.state).toMatchObject({ isDirty: true, changes: ['src/a.txt', 'test-results/a.txt'] });
});

test('a project without git has no tree, one without a commit has no commit, and a broken one is not known to be clean', () => {
  expect(readGitTree(folder(files))).toBeUndefined();
  const dir = folder();
  const { git } = gitRepository(dir);
  git('checkout', '-q', '--orphan', 'other');
  expect(readGitTree(dir)).toMatchObject({ state: { isDirty: false } });
  expect(readGitTree(dir)).not.toHaveProperty('commit');
  const commit = '0123456789abcdef0123456789abcdef01234567';
  const broken = folder({ '.git': 'gitdir: .', HEAD: `${commit}\n` });
  expect(readGitTree(broken)).toEqual({ top: broken, commit });
});

test('a commit is found by its branch, its tag, its beginning and HEAD, and nothing else is', () => {
  const dir = folder(files);
  const { git, commit } = gitRepository(dir);
  const first = git('rev-parse', 'HEAD');
  git('tag', 'v1');
  const second = commit('second');
  expect(['HEAD', 'main', second.slice(0, 8), 'HEAD~1', 'v1'].map((name) => resolveCommit(dir, name))).toEqual([
    ...[second, second, second],
    ...[first, first],
  ]);
  expect(['nope', '--help', '', 'HEAD^{tree}'].map((name) => resolveCommit(dir, name))).toEqual(Array(4).fill(undefined));
  expect(resolveCommit(folder(), 'HEAD')).toBeUndefined();
});
