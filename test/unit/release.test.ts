// The release script in a temporary clone of this repository, with empty files in place of a build.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'recipewright-release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clone = join(folder, 'clone');
const settings = { 'user.name': 'A', 'user.email': 'a@example.com', 'commit.gpgsign': 'false', 'tag.gpgsign': 'false' };
const env = {
  ...process.env,
  GIT_CONFIG_COUNT: String(Object.keys(settings).length),
  ...Object.fromEntries(
    Object.entries(settings).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

const git = (...args: string[]): string => execFileSync('git', args, { cwd: clone, env, encoding: 'utf8', stdio: 'pipe' }).trim();
const read = (name: string): string => readFileSync(join(clone, name), 'utf8');
const write = (name: string, text: string): void => {
  mkdirSync(dirname(join(clone, name)), { recursive: true });
  writeFileSync(join(clone, name), text);
};

function release(...args: string[]): { exitCode: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', ...args], {
    ...{ cwd: clone, env, encoding: 'utf8' },
  });
  return { exitCode: status, stdout, stderr };
}

/** Reads everything that a release may change. */
const state = (): string[] => [git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain'), read('package.json')];

const listPublishedPaths = (): string[] => {
  const { exports, bin } = JSON.parse(read('package.json')) as { exports: Record<string, unknown>; bin: Record<string, string> };
  return JSON.stringify([exports, bin]).match(/dist\/[\w.-]+/g) ?? [];
};

beforeAll(() => {
  // Copies the files that a release reads or publishes from the work tree, because a clone lacks uncommitted changes.
  for (const name of [
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    'README.md',
    'LICENSE',
    '.gitignore',
    'schemas',
    'scripts',
  ])
    cpSync(join(root, name), join(clone, name), { recursive: true });
  write('test/a.test.ts', '');
  write('CHANGELOG.md', read('CHANGELOG.md').replace(/^## Unreleased\n/m, '## Unreleased\n\n- Kettles boil.\n'));
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'state of the work tree');
  git('branch', 'state');
});

beforeEach(() => {
  git('checkout', '--quiet', '--force', '-B', 'main', 'state');
  git('clean', '--quiet', '--force', '-d');
  for (const name of git('tag').split('\n').filter(Boolean)) git('tag', '--delete', name);
  for (const name of git('branch', '--format=%(refname:short)').split('\n'))
    if (!['main', 'state'].includes(name)) git('branch', '--quiet', '--delete', '--force', name);
  rmSync(join(clone, 'dist'), { recursive: true, force: true });
  for (const name of listPublishedPaths()) write(name, '');
});

describe('npm run release', () => {
  test('a dry run of a release says what the release would do, and changes nothing', () => {
    const before = state();
    const { exitCode, stdout, stderr } = release('98.7.6', '--dry-run');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^Release \S+ → 98\.7\.6 \(dry run: nothing is changed\)$/m);
    expect(stdout).toMatch(/CHANGELOG\.md: "Unreleased" becomes "98\.7\.6 - \d{4}-\d\d-\d\d" \([1-9]\d* entries\)/);
    expect(stdout).toMatch(/npm package: \d+ files, .*: CHANGELOG\.md, LICENSE, README\.md, dist, package\.json, schemas$/m);
    expect(stdout).toContain('git: commit "release: 98.7.6", tag v98.7.6');
    expect(state()).toEqual(before);
  });

  test('a release sets the version, dates the changelog, commits and tags', () => {
    const { exitCode, stdout, stderr } = release('98.7.6');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('git push origin main v98.7.6');
    const lock = JSON.parse(read('package-lock.json'));
    expect([JSON.parse(read('package.json')).version, lock.version, lock.packages[''].version]).toEqual(Array(3).fill('98.7.6'));
    expect(read('CHANGELOG.md')).toMatch(/^## Unreleased\n\n## 98\.7\.6 - \d{4}-\d\d-\d\d\n\n- Kettles boil\.$/m);
    expect(git('log', '-1', '--format=%s')).toBe('release: 98.7.6');
    expect(git('show', '--name-only', '--format=').split('\n')).toEqual(['CHANGELOG.md', 'package-lock.json', 'package.json']);
    expect(git('rev-parse', 'v98.7.6^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('status', '--porcelain')).toBe('');
    // The next release has no entries in the changelog yet.
    expect(release('patch').stderr).toContain('CHANGELOG.md has nothing under "## Unreleased"');
  });

  test('a release increments the version in package.json', () => {
    write('package.json', read('package.json').replace(/"version": ".*?"/, '"version": "2.3.4"'));
    git('commit', '--quiet', '--all', '--message', 'another version');
    const versions = ['patch', 'minor', 'major'].map((step) => /→ (\S+)/.exec(release(step, '--dry-run').stdout)?.[1]);
    expect(versions).toEqual(['2.3.5', '2.4.0', '3.0.0']);
    expect(release('2.3.3', '--dry-run').stderr).toContain('2.3.3 is lower than 2.3.4');
  });

  test.for<[what: string, prepare: () => void, why: RegExp]>([
    ['a dirty work tree', () => write('notes.txt', 'x'), /The work tree has changes[\s\S]*notes\.txt/],
    ['a changed file', () => write('README.md', 'x'), /The work tree has changes[\s\S]*README\.md/],
    ['another branch', () => git('checkout', '--quiet', '-b', 'feature'), /made on main, and the branch is feature/],
    ['no branch', () => git('checkout', '--quiet', '--detach'), /made on main, and no branch is checked out/],
    ['a tag that exists', () => git('tag', 'v98.7.6'), /The tag v98\.7\.6 exists already/],
    [
      'a package without its build',
      () => rmSync(join(clone, 'dist'), { recursive: true }),
      /would lack dist\/.*Run: npm run build/,
    ],
    ['tests in the package', () => write('dist/a.test.js', ''), /files that users do not need: dist\/a\.test\.js/],
  ])('a release refuses %s, and changes nothing', ([, prepare, why]) => {
    prepare();
    const before = state();
    for (const more of [['--dry-run'], []]) {
      const { exitCode, stdout, stderr } = release('98.7.6', ...more);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(why);
    }
    expect(state()).toEqual(before);
  });

  test.for(['', 'huge', '1.2', 'patch minor', 'patch --force', '1.2.3-beta'])(
    'a release explains its usage for the arguments "%s"',
    (args) => {
      const { exitCode, stderr } = release(...args.split(' ').filter(Boolean));
      expect(exitCode).toBe(2);
      expect(stderr).toContain('npm run release -- patch|minor|major|1.2.3 [--dry-run]');
    },
  );
});
