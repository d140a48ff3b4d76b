// The work tree as git reports it: its commit, the changed files, and a digest that is the same on two machines.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { claimDirectory } from '../../../../src/system/files/files.js';
import { readHeadCommit, resolveCommit } from '../../../../src/system/git/gitRepository.js';
import { listChangesSince, readGitTree } from '../../../../src/system/git/gitTree.js';
import { gitRepository } from '../../../support/gitRepository.js';

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

afterEach(() => void vi.unstubAllEnvs());

const files = { 'src/a.txt': 'one\n', 'src/b.txt': 'two\n', '.gitignore': 'ignored/\n' };

test('a clean tree has a commit, and the same digest in every clone and every folder', () => {
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
  ['made executable', (dir) => chmodSync(join(dir, 'src/a.txt'), 0o755), ['src/a.txt']],
  ['added', (dir) => write(dir, { 'a new\nfile.txt': 'new\n' }), ['a new\nfile.txt']],
  ['added in a new folder', (dir) => write(dir, { 'new/one': '1', 'new/two': '2' }), ['new/one', 'new/two']],
  ['added as a link', (dir) => symlinkSync('src/a.txt', join(dir, 'link')), ['link']],
])('a tree in which a file was %s is dirty, and has another digest', ([, change, changes]) => {
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

test('the digest depends on the contents, staged or not, and is the same on every machine', () => {
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

function manifestOf(...paths: string[]): string {
  return JSON.stringify({ version: 1, artifacts: paths.map((path) => ({ path })) });
}

test('files that runs write do not make a tree dirty in any folder, but other files beside them do', () => {
  const dir = folder(files);
  gitRepository(dir);
  const clean = readGitTree(dir)?.state;
  for (const place of ['evidence-1', 'results/recipes/a']) {
    claimDirectory(join(dir, place));
    write(dir, { [`${place}/summary.json`]: '{}', [`${place}/screenshots/a.png`]: 'x' });
  }
  write(dir, { 'evidence-1/artifact-manifest.json': manifestOf('summary.json', 'screenshots/a.png') });
  claimDirectory(join(dir, 'killed'));
  write(dir, { 'killed/journal.jsonl': '{}', 'killed/recipe.json': '{}' });
  write(dir, { 'results/suite.json': '{}', 'results/index.md': '', 'results/.attempts/recipes/a/compare/index.html': '' });
  write(dir, { 'test-results/.last-run.json': '{}' });
  const own = { outputDirs: [join(dir, 'results')], hostDirs: [join(dir, 'test-results')] };
  expect(readGitTree(dir, own)?.state).toEqual(clean);
  write(dir, { 'results/module.mjs': 'export {};', 'src/.recipewright': 'mine', 'src/c.txt': 'three' });
  write(dir, { 'evidence-1/module.mjs': 'export {};', 'killed/module.mjs': 'export {};' });
  expect(readGitTree(dir, own)?.state).toMatchObject({
    isDirty: true,
    changes: ['evidence-1/module.mjs', 'killed/module.mjs', 'results/module.mjs', 'src/.recipewright', 'src/c.txt'],
  });
});

test('a mark file hides no changes outside of output directories, and inside them no tracked files except the index', () => {
  const dir = folder({ ...files, 'data/c.txt': 'one\n', 'results/a/c.txt': 'one\n', 'results/index.md': '' });
  gitRepository(dir);
  for (const place of ['data', 'results/a']) {
    claimDirectory(join(dir, `${place}-made`));
    cpSync(join(dir, `${place}-made/.recipewright`), join(dir, place, '.recipewright'));
    rmSync(join(dir, `${place}-made`), { recursive: true });
    write(dir, { [`${place}/c.txt`]: 'changed\n', [`${place}/new.txt`]: 'new\n' });
  }
  write(dir, { 'results/index.md': 'changed' });
  expect(readGitTree(dir, { outputDirs: [join(dir, 'results')] })?.state?.changes).toEqual([
    ...['data/.recipewright', 'data/c.txt', 'data/new.txt', 'results/a/c.txt'],
  ]);
});

test.for(['--assume-unchanged', '--skip-worktree'])('git update-index %s hides no change', (flag) => {
  const dir = folder(files);
  const { git } = gitRepository(dir);
  git('update-index', flag, 'src/a.txt', 'src/b.txt');
  const clean = readGitTree(dir)?.state;
  expect(clean?.isDirty).toBe(false);
  write(dir, { 'src/a.txt': 'three\n' });
  rmSync(join(dir, 'src/b.txt'));
  expect(readGitTree(dir)?.state).toMatchObject({ isDirty: true, changes: ['src/a.txt', 'src/b.txt'] });
  // Reading the tree changed nothing in the repository.
  expect(git('status', '--porcelain')).toBe('');
});

test('files that a sparse checkout leaves out are not changes', () => {
  const dir = folder(files);
  const { git } = gitRepository(dir);
  git('sparse-checkout', 'set', '--no-cone', '/.gitignore', '/src/a.txt');
  expect(readGitTree(dir)?.state).toMatchObject({ isDirty: false });
  write(dir, { 'src/b.txt': 'three\n' });
  expect(readGitTree(dir)?.state).toMatchObject({ isDirty: true, changes: ['src/b.txt'] });
});

test('a submodule hides no changes, even if the config ignores them, and each content has its own digest', () => {
  const [dir, other] = [folder(files), folder({ 'c.txt': 'one\n' })];
  gitRepository(other);
  const { git, commit } = gitRepository(dir);
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
  git('config', '-f', '.gitmodules', 'submodule.sub.ignore', 'all');
  commit('second');
  const look = () => readGitTree(dir)?.state;
  const clean = look();
  expect(clean?.isDirty).toBe(false);
  const digests = ['two\n', 'three\n'].map((text) => {
    write(dir, { 'sub/c.txt': text });
    expect(look()).toMatchObject({ isDirty: true, changes: ['sub'] });
    return look()?.digest;
  });
  expect(new Set([clean?.digest, ...digests]).size).toBe(3);
  git('-C', 'sub', 'update-index', '--assume-unchanged', 'c.txt');
  expect(look()).toMatchObject({ isDirty: true, changes: ['sub'] });
});

test('a file that only this clone ignores is a new file, but a file that the user ignores globally is not', () => {
  const dir = folder(files);
  const { git } = gitRepository(dir);
  const home = folder({ '.config/git/ignore': '.DS_Store\n', mine: '*.swp\n' });
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  write(dir, { '.git/info/exclude': 'notes.txt\n', '.git/mine': 'other.txt\n' });
  git('config', 'core.excludesFile', join(dir, '.git/mine'));
  write(dir, { 'src/.DS_Store': '', 'notes.txt': '', 'other.txt': '', 'a.swp': '', 'ignored/x': '' });
  const changes = () => readGitTree(dir)?.state?.changes;
  expect(changes()).toEqual(['a.swp', 'notes.txt', 'other.txt']);
  git('config', '--global', 'core.excludesFile', '~/mine');
  expect(changes()).toEqual(['notes.txt', 'other.txt', 'src/.DS_Store']);
});

test('listChangesSince names tracked files that changed, but no new files and no files that runs write', () => {
  const dir = folder({ ...files, 'results/index.md': '', 'ignored/tracked.txt': 'one\n' });
  const { git, commit } = gitRepository(dir);
  git('add', '-f', 'ignored/tracked.txt');
  commit('second');
  const own = { outputDirs: [join(dir, 'results')] };
  const start = readGitTree(dir, own);
  const changed = (since = start) => since && listChangesSince(since, own);
  write(dir, { 'new.txt': 'new\n', 'results/index.md': 'new', 'src/a.txt': 'one\n' });
  expect(changed()).toEqual([]);
  write(dir, { 'src/a.txt': 'three\n', 'ignored/tracked.txt': 'two\n' });
  rmSync(join(dir, 'src/b.txt'));
  const all = ['ignored/tracked.txt', 'src/a.txt', 'src/b.txt'];
  expect(changed()).toEqual(all);
  const dirty = readGitTree(dir, own);
  expect(changed(dirty)).toEqual([]);
  commit('third');
  expect([changed(), changed(dirty)]).toEqual([all, []]);
  git('reset', '-q', '--soft', 'HEAD~1');
  expect(changed(dirty)).toEqual([]);
  write(dir, { 'src/a.txt': 'four\n', 'src/b.txt': 'two\n' });
  expect(changed(dirty)).toEqual(['src/a.txt', 'src/b.txt']);
  rmSync(join(dir, '.git'), { recursive: true });
  expect(changed()).toEqual([expect.stringContaining('git could not run')]);
});

test('listChangesSince reports a change among many earlier changes, even if it cannot name the file', () => {
  const names = Array.from({ length: 30 }, (_, index) => `many/${index + 10}.txt`);
  const texts = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
  const dir = folder(texts('one'));
  gitRepository(dir);
  write(dir, texts('two'));
  const start = readGitTree(dir);
  expect(start && listChangesSince(start)).toEqual([]);
  write(dir, { 'many/39.txt': 'three' });
  expect(start && listChangesSince(start)).toEqual(['some of the 30 files that already differed before the run']);
  write(dir, { 'many/10.txt': 'three' });
  expect(start && listChangesSince(start)).toEqual(['many/10.txt']);
});

test('an output directory that is the whole repository, or tracked files of a test runner, hide no changes', () => {
  const dir = folder({ ...files, 'test-results/a.txt': 'tracked' });
  gitRepository(dir);
  write(dir, { 'src/a.txt': 'three\n', 'test-results/a.txt': 'changed' });
  const own = { outputDirs: [dir], hostDirs: [dir, join(dir, 'test-results')] };
  expect(readGitTree(dir, own)?.state).toMatchObject({ isDirty: true, changes: ['src/a.txt', 'test-results/a.txt'] });
});

test('a project without a repository has no tree, and one without a commit has no commit', () => {
  expect(readGitTree(folder(files))).toBeUndefined();
  const dir = folder();
  const { git } = gitRepository(dir);
  git('checkout', '-q', '--orphan', 'other');
  expect(readGitTree(dir)).toMatchObject({ state: { isDirty: false } });
  expect(readGitTree(dir)).not.toHaveProperty('commit');
});

test('a repository whose index is damaged has a commit, but is not known to be clean', () => {
  const dir = folder(files);
  const { git } = gitRepository(dir);
  write(dir, { '.git/index': 'damaged' });
  expect(readGitTree(dir)).toEqual({ top: dir, commit: git('rev-parse', 'HEAD') });
});

test('a repository of another user has a commit, but is not known to be clean', () => {
  const dir = folder(files);
  const { git } = gitRepository(dir);
  const commit = git('rev-parse', 'HEAD');
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
  expect(readGitTree(dir)).toEqual({ top: dir, commit });
});

test('a repository that git cannot read, or without git installed, has neither a commit nor a state', () => {
  const broken = folder({ '.git': 'gitdir: .', HEAD: '0123456789abcdef0123456789abcdef01234567\n' });
  expect(readGitTree(broken)).toEqual({ top: broken });
  const dir = folder(files);
  gitRepository(dir);
  vi.stubEnv('PATH', folder());
  expect(readGitTree(dir)).toEqual({ top: dir });
});

test('a linked work tree has its own commit and its own changes', () => {
  const [dir, linked] = [folder(files), join(folder(), 'linked')];
  const { git, commit } = gitRepository(dir);
  git('worktree', 'add', '-q', linked);
  const first = git('rev-parse', 'HEAD');
  commit('second');
  git('-C', linked, 'update-index', '--assume-unchanged', 'src/a.txt');
  write(linked, { 'src/a.txt': 'three\n' });
  expect(readHeadCommit(linked)).toBe(first);
  expect(readGitTree(linked)).toMatchObject({ top: linked, commit: first, state: { isDirty: true, changes: ['src/a.txt'] } });
  expect(readGitTree(dir)).toMatchObject({ state: { isDirty: false } });
});

const hasReftable = /--ref-format/.test(spawnSync('git', ['init', '-h'], { encoding: 'utf8' }).stdout);
test.skipIf(!hasReftable)('a repository that keeps its refs in a reftable has a commit (skipped with git before 2.45)', () => {
  vi.stubEnv('GIT_DEFAULT_REF_FORMAT', 'reftable');
  const dir = folder(files);
  const { git } = gitRepository(dir);
  expect(existsSync(join(dir, '.git/reftable'))).toBe(true);
  expect(readHeadCommit(dir)).toBe(git('rev-parse', 'HEAD'));
});

test('resolveCommit finds a commit by branch, tag, short id and HEAD, and nothing else', () => {
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
