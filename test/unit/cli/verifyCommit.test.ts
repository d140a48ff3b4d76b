// A package records the work tree of its run, and `verify --git-ref` accepts only a clean work tree of that commit.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
import { inProcess } from '../../support/command.js';
import { gitRepository } from '../../support/gitRepository.js';
import { recipeOf } from '../../support/plain.js';

const recipe = recipeOf(
  {
    look: {
      action: 'command',
      cmd: 'cat app.txt',
      assert: { path: '$.stdout', operator: 'contains', value: 'good' },
      proofTarget: 'AC1',
      next: 'done',
    },
  },
  { title: 'The app is good', proofTargets: [{ id: 'AC1', claim: 'The app is good.' }] },
);

function repository() {
  const project = inProcess(cliProject({ 'app.txt': 'good\n', 'a.recipe.json': recipe }));
  const run = (out: string) => project.run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', out);
  const summary = (out: string) => JSON.parse(readFileSync(join(project.dir, out, 'summary.json'), 'utf8'));
  return { ...project, ...gitRepository(project.dir), record: run, summary };
}

test('consecutive runs of a clean tree are clean, and verify names their commit', async () => {
  const { record, summary, run, git } = repository();
  const head = git('rev-parse', 'HEAD');
  for (const out of ['evidence-1', 'evidence-2']) expect((await record(out)).exitCode).toBe(0);
  expect(summary('evidence-2')).toMatchObject({
    git_ref: head,
    git_dirty: false,
    tree_digest: summary('evidence-1').tree_digest,
  });
  expect(summary('evidence-2')).not.toHaveProperty('git_changes');
  for (const ref of ['HEAD', 'main', head.slice(0, 7), head]) {
    const { exitCode, stdout, stderr } = await run('verify', 'evidence-2', '--git-ref', ref);
    expect({ ref, exitCode, stderr }).toEqual({ ref, exitCode: 0, stderr: '' });
    expect(stdout).toContain(
      `Recipe: a (The app is good)\nCommit: ${head}, clean (files that git ignores are not covered)\nRun: ${summary('evidence-2').startedAt}\nUnsigned`,
    );
  }
  const { stdout } = await run('verify', 'evidence-2', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ status: 'verified', verdict: 'pass', recipe: { id: 'a', title: 'The app is good' } },
    ...{ git_ref: head, git_dirty: false, tree_digest: summary('evidence-1').tree_digest },
    ...{ startedAt: summary('evidence-2').startedAt, signed: false },
  });
});

test('verify --git-ref refuses a run of a dirty tree and a run of another commit', async () => {
  const { record, summary, run, started, git, commit, dir } = repository();
  const first = git('rev-parse', 'HEAD');
  expect((await record('clean')).exitCode).toBe(0);
  writeFileSync(join(dir, 'app.txt'), 'good, but not committed\n');
  expect((await record('dirty')).exitCode).toBe(0);
  expect(summary('dirty')).toMatchObject({ git_ref: first, git_dirty: true, git_changes: ['app.txt'] });
  const dirty = await started('verify', 'dirty', '--git-ref', 'HEAD');
  expect(dirty.exitCode).toBe(1);
  expect(dirty.stdout).toContain('package.dirty_tree');
  expect(dirty.stdout).toMatch(/ran in a work tree that differed from commit [0-9a-f]{40}: app\.txt/);
  const anyway = await started('verify', 'dirty');
  expect([anyway.exitCode, anyway.stdout]).toEqual([0, expect.stringContaining(`Commit: ${first}, dirty: app.txt`)]);
  commit('second');
  const other = await run('verify', 'clean', '--git-ref', 'HEAD');
  expect([other.exitCode, other.stdout]).toEqual([1, expect.stringContaining('package.other_commit')]);
  expect((await run('verify', 'clean', '--git-ref', 'HEAD~1')).exitCode).toBe(0);
  const nobody = await started('verify', 'clean', '--git-ref', 'no-such-branch');
  expect([nobody.exitCode, nobody.stderr]).toEqual([
    2,
    expect.stringContaining('--git-ref is "no-such-branch", but git knows no such commit'),
  ]);
  rmSync(join(dir, '.git'), { recursive: true });
  expect((await run('verify', 'clean', '--git-ref', first)).exitCode).toBe(0);
  expect((await run('verify', 'clean', '--git-ref', 'HEAD')).exitCode).toBe(2);
});

test('a run that changes a tracked file ends dirty, but a run that creates a new file does not', async () => {
  const { record, summary, run, git, commit, dir } = repository();
  const writing = (file: string) => JSON.stringify(recipe).replace('cat app.txt', `cat app.txt; echo more >> ${file}`);
  writeFileSync(join(dir, 'a.recipe.json'), writing('new.log'));
  commit('a log');
  expect((await record('new')).exitCode).toBe(0);
  expect((await run('verify', 'new', '--git-ref', 'HEAD')).exitCode).toBe(0);
  rmSync(join(dir, 'new.log'));
  writeFileSync(join(dir, 'a.recipe.json'), writing('app.txt'));
  const head = commit('the app');
  expect((await record('changed')).exitCode).toBe(0);
  expect(summary('changed')).toMatchObject({ status: 'pass', git_ref: head, git_dirty: true, git_changes_in_run: ['app.txt'] });
  expect(git('status', '--porcelain', '--untracked-files=no')).toBe('M app.txt');
  const { exitCode, stdout } = await run('verify', 'changed', '--git-ref', 'HEAD');
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('package.dirty_tree')]);
  expect(stdout).toMatch(/Tracked files changed during the run, .*: app\.txt/);
  const anyway = await run('verify', 'changed');
  expect([anyway.exitCode, anyway.stdout]).toEqual([
    0,
    expect.stringContaining(`Commit: ${head}, dirty: changed during the run: app.txt`),
  ]);
});

test('a tree that git cannot read does not count as clean', async () => {
  const commit = '0123456789abcdef0123456789abcdef01234567';
  const project = inProcess(cliProject({ 'app.txt': 'good\n', 'a.recipe.json': recipe }));
  mkdirSync(join(project.dir, '.git'));
  writeFileSync(join(project.dir, '.git/HEAD'), `${commit}\n`);
  expect((await project.run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out')).exitCode).toBe(0);
  const { exitCode, stdout } = await project.run('verify', 'out', '--git-ref', commit);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('The package has no commit')]);
});
