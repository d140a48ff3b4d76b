// All packages of a suite record the work tree at the beginning of the run.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitRepository } from '../support/gitRepository.js';
import { recipe, say } from '../support/recipe.js';
import { type VitestRun, vitestProject } from '../support/vitestProject.js';

// In the directory of git, so that it does not change the work tree.
const flag = '.git/change';

const files = {
  '.gitignore': 'node_modules\nblobs\nreport*\n',
  'data/c.txt': 'as committed\n',
  'recipes/a.recipe.json': recipe({ speak: say('a') }),
  'recipes/b.recipe.json': recipe({
    speak: say('b'),
    write: { action: 'command', cmd: `echo written by the run > late.txt; if [ -e ${flag} ]; then echo more >> data/c.txt; fi` },
  }),
};

test('packages record the work tree at the beginning of their run, and merged shards of two commits are unknown', async () => {
  const project = vitestProject(files);
  const { git } = gitRepository(project.dir);
  const first = git('rev-parse', 'HEAD');
  const run = async (...args: string[]) => {
    const ran = await project.run(args);
    rmSync(join(project.dir, 'late.txt'), { force: true });
    return ran;
  };
  const trees = ({ packages }: VitestRun) =>
    [...packages.values()].map(({ summary: { git_ref, git_dirty, git_changes } }) => ({ git_ref, git_dirty, git_changes }));
  const change = (isOn: boolean) => {
    writeFileSync(join(project.dir, 'data/c.txt'), files['data/c.txt']);
    if (isOn) writeFileSync(join(project.dir, flag), '');
    else rmSync(join(project.dir, flag));
  };
  const clean = (commit: string) => ({ git_ref: commit, git_dirty: false, git_changes: undefined });

  // A report of another reporter is not a change of the work tree.
  mkdirSync(join(project.dir, 'out'));
  writeFileSync(join(project.dir, 'out/junit.xml'), '');
  change(true);
  const changed = await run('--reporter=junit', '--outputFile=out/junit.xml');
  const inRun = { git_dirty: true, git_changes_in_run: ['data/c.txt'], status: 'pass' };
  expect([...changed.packages.values()]).toMatchObject([{ summary: inRun }, { summary: inRun }]);
  expect(trees(changed).map(({ git_changes }) => git_changes)).toEqual([undefined, undefined]);
  expect(changed.suite?.notes).toEqual([expect.stringContaining('Tracked files changed during the run: data/c.txt')]);
  expect(changed.exitCode).toBe(0);
  change(false);
  rmSync(join(project.dir, 'out'), { recursive: true });

  const shard = (number: number) => run(`--shard=${number}/2`, '--reporter=blob', `--outputFile=blobs/${number}.json`);
  // Files of the previous run in recipe-results are not changes of the work tree.
  expect((await shard(1)).exitCode).toBe(0);
  // The same files at another commit.
  git('commit', '-q', '--allow-empty', '-m', 'second');
  const second = git('rev-parse', 'HEAD');
  expect((await shard(2)).exitCode).toBe(0);
  const merge = () => run('--merge-reports=blobs', '--reporter=recipewright/vitest/reporter');
  const mixed = await merge();
  expect(mixed.exitCode).toBe(1);
  // The first shard has recipe b, which wrote a file before its package was written.
  expect(trees(mixed)).toEqual([clean(second), clean(first)]);
  expect(mixed.stderr).toContain(`is of commit ${first}, clean`);
  expect(mixed.stderr).toContain(`is of commit ${second}, clean`);
  expect(mixed.suite?.totals).toMatchObject({ passed: 2, unknown: 0, declared: 2 });
  expect(mixed.suite?.problems).toHaveLength(2);
  change(true);
  expect((await shard(1)).exitCode).toBe(0);
  change(false);
  const same = await merge();
  expect(same.exitCode).toBe(0);
  expect(trees(same)).toEqual([clean(second), { ...clean(second), git_dirty: true }]);
  expect(same.packages.get('recipes/b')?.summary.git_changes_in_run).toEqual(['data/c.txt']);
  writeFileSync(join(project.dir, 'new.txt'), 'not committed');
  expect((await shard(2)).exitCode).toBe(0);
  const dirty = await merge();
  expect([dirty.exitCode, dirty.stderr]).toEqual([1, expect.stringContaining(`commit ${second}, dirty: new.txt`)]);
});
