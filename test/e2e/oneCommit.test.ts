// All packages of one suite are of one work tree: the one in which its run began.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gitRepository } from '../support/gitRepository.js';
import { expect, type Project, test } from '../support/project.js';
import { recipe, say } from '../support/recipe.js';

const files = {
  '.gitignore': 'node_modules\nblobs\n',
  'recipes/a.recipe.json': recipe({ speak: say('a') }),
  'recipes/b.recipe.json': recipe({ speak: say('b'), write: { action: 'command', cmd: 'echo written by the run > late.txt' } }),
};

/** As an auditor asks, in the repository. */
function verify(dir: string) {
  const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
  const args = [cli, 'verify', 'recipe-results', '--git-ref', 'HEAD', '--json'];
  const said = JSON.parse(spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' }).stdout);
  return { ...said, git: said.packages.map(({ git_ref }: { git_ref: string }) => git_ref) };
}

async function shard(inner: Project, number: number): Promise<void> {
  const env = { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(inner.dir, `blobs/${number}.zip`) };
  expect((await inner.run([`--shard=${number}/2`, '--reporter=blob'], { env })).exitCode).toBe(0);
  rmSync(join(inner.dir, 'late.txt'), { force: true });
}

test('every package of a run has the work tree in which the run began, and evidence of runs before makes none dirty', async ({
  project,
}) => {
  const inner = project(files);
  const { git } = gitRepository(inner.dir);
  const trees = async () => {
    const { exitCode, packages } = await inner.run(['--workers=1']);
    expect(exitCode).toBe(0);
    rmSync(join(inner.dir, 'late.txt'));
    return [...packages.values()].map(({ summary: { git_ref, git_dirty, tree_digest } }) => ({
      git_ref,
      git_dirty,
      tree_digest,
    }));
  };
  const [first, second, ...more] = await trees();
  expect([second, more]).toEqual([first, []]);
  expect(first).toEqual({ git_ref: git('rev-parse', 'HEAD'), git_dirty: false, tree_digest: expect.stringMatching(/^sha256:/) });
  expect(await trees()).toEqual([first, first]);
  expect(verify(inner.dir)).toMatchObject({ status: 'verified', verdict: 'pass', git: [first?.git_ref, first?.git_ref] });
  writeFileSync(join(inner.dir, 'new.txt'), 'not committed');
  const [dirty, alike] = await trees();
  expect(dirty).toMatchObject({ git_ref: first?.git_ref, git_dirty: true });
  expect(dirty?.tree_digest).not.toBe(first?.tree_digest);
  expect(alike).toEqual(dirty);
});

test('shards of two commits are not one suite: the merge is unknown and names the packages of each commit', async ({
  project,
}) => {
  const inner = project(files);
  const { git, commit } = gitRepository(inner.dir);
  const first = git('rev-parse', 'HEAD');
  await shard(inner, 1);
  const second = commit('second');
  await shard(inner, 2);
  const merge = () => inner.merge(['--reporter=recipewright/playwright/reporter', 'blobs']);
  const mixed = await merge();
  expect(mixed.exitCode).toBe(1);
  expect(mixed.stdout).toContain(`recipes/a is of commit ${first}, clean`);
  expect(mixed.stdout).toContain(`recipes/b is of commit ${second}, clean`);
  const { totals, status, commits } = JSON.parse(readFileSync(join(inner.dir, 'recipe-results/suite.json'), 'utf8'));
  expect({ totals, status }).toMatchObject({ totals: { passed: 2, unknown: 0, declared: 2 }, status: 'unknown' });
  expect(commits).toMatchObject([first, second].map((git_ref) => ({ git_ref, git_dirty: false })));
  expect(readFileSync(join(inner.dir, 'recipe-results/index.md'), 'utf8')).toContain(
    '# Recipes: 2 of 2 passed, but the run failed\n',
  );
  await shard(inner, 1);
  expect(await merge()).toMatchObject({ exitCode: 0, stderr: '' });
  writeFileSync(join(inner.dir, 'new.txt'), 'not committed');
  await shard(inner, 2);
  const dirty = await merge();
  expect([dirty.exitCode, dirty.stdout]).toEqual([1, expect.stringContaining(`commit ${second}, dirty: new.txt`)]);
});
