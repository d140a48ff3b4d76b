// All packages of one suite record the same work tree: the one at the beginning of the run.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gitRepository } from '../support/gitRepository.js';
import { expect, type Project, test } from '../support/project.js';
import { recipe, say } from '../support/recipe.js';

// In the directory of git, so that the file is not a change of the work tree.
const flag = '.git/change';

const files = {
  '.gitignore': 'node_modules\nblobs\n',
  'data/c.txt': 'as committed\n',
  'recipes/a.recipe.json': recipe({ speak: say('a') }),
  'recipes/b.recipe.json': recipe({
    speak: say('b'),
    write: { action: 'command', cmd: `echo written by the run > late.txt; if [ -e ${flag} ]; then echo more >> data/c.txt; fi` },
  }),
};

/** Makes recipe b change a tracked file, until this is called again. */
function changeData(inner: Project, isOn: boolean): void {
  writeFileSync(join(inner.dir, 'data/c.txt'), files['data/c.txt']);
  if (isOn) writeFileSync(join(inner.dir, flag), '');
  else rmSync(join(inner.dir, flag));
}

/** Runs verify in the repository, as an auditor does. */
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

const refusal = 'Tracked files changed during the run';

test('every package of a run names the work tree that the run began with, and evidence of earlier runs does not make it dirty', async ({
  project,
}) => {
  const inner = project(files);
  const { git } = gitRepository(inner.dir);
  const trees = async (args = ['--workers=1'], env: Record<string, string> = {}) => {
    const { exitCode, packages } = await inner.run(args, { env });
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
  // Other reporters write files too.
  mkdirSync(join(inner.dir, 'out'));
  writeFileSync(join(inner.dir, 'out/junit.xml'), 'of the run before');
  const env = { PLAYWRIGHT_JUNIT_OUTPUT_FILE: 'out/junit.xml' };
  expect(await trees(['--reporter=junit,recipewright/playwright/reporter'], env)).toEqual([first, first]);
  rmSync(join(inner.dir, 'out'), { recursive: true });
  expect(verify(inner.dir)).toMatchObject({ status: 'verified', verdict: 'pass', git: [first?.git_ref, first?.git_ref] });
  for (const reporter of ['line,recipewright/playwright/reporter', 'line']) {
    changeData(inner, true);
    const { exitCode, packages } = await inner.run(['--workers=1', `--reporter=${reporter}`]);
    rmSync(join(inner.dir, 'late.txt'));
    const changed = [...packages.values()].map(({ summary }) => [summary.git_dirty, summary.git_changes_in_run ?? []]);
    // A worker knows the changes so far, and the reporter knows the changes of the whole run.
    const a = reporter === 'line' ? [false, []] : [true, ['data/c.txt']];
    expect({ reporter, exitCode, changed }).toEqual({ reporter, exitCode: 0, changed: [a, [true, ['data/c.txt']]] });
    const { status, packages: refused } = verify(inner.dir);
    expect([status, JSON.stringify(refused)]).toEqual(['invalid', expect.stringContaining(refusal)]);
    const index = readFileSync(join(inner.dir, 'recipe-results/index.md'), 'utf8');
    if (reporter !== 'line') expect(index).toContain('- Tracked files changed during the run: data/c.txt');
    expect(index).toContain('# Recipes: 2 of 2 passed');
  }
  changeData(inner, false);

  writeFileSync(join(inner.dir, 'new.txt'), 'not committed');
  const [dirty, alike] = await trees();
  expect(dirty).toMatchObject({ git_ref: first?.git_ref, git_dirty: true });
  expect(dirty?.tree_digest).not.toBe(first?.tree_digest);
  expect(alike).toEqual(dirty);
});

test('shards of two commits are not one suite, and the merge is unknown and names the packages of each commit', async ({
  project,
}) => {
  const inner = project(files);
  const { git } = gitRepository(inner.dir);
  const first = git('rev-parse', 'HEAD');
  await shard(inner, 1);
  // The files are the same, but the commit is another one.
  git('commit', '-q', '--allow-empty', '-m', 'second');
  const second = git('rev-parse', 'HEAD');
  changeData(inner, true);
  await shard(inner, 2);
  changeData(inner, false);
  const merge = () => inner.merge(['--reporter=recipewright/playwright/reporter', 'blobs']);
  const mixed = await merge();
  expect(mixed.exitCode).toBe(1);
  expect(mixed.stdout).toContain(`recipes/a is of commit ${first}, clean`);
  expect(mixed.stdout).toContain(`recipes/b is of commit ${second}, dirty: changed during the run: data/c.txt`);
  const { totals, status, commits } = JSON.parse(readFileSync(join(inner.dir, 'recipe-results/suite.json'), 'utf8'));
  expect({ totals, status }).toMatchObject({ totals: { passed: 2, unknown: 0, declared: 2 }, status: 'unknown' });
  expect(commits).toMatchObject([
    { git_ref: first, git_dirty: false },
    { git_ref: second, git_dirty: true, git_changes_in_run: ['data/c.txt'] },
  ]);
  expect(readFileSync(join(inner.dir, 'recipe-results/index.md'), 'utf8')).toContain(
    '# Recipes: 2 of 2 passed, but the run failed\n',
  );
  await shard(inner, 1);
  expect(await merge()).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.stringify(verify(inner.dir).packages)).toContain(refusal);
  writeFileSync(join(inner.dir, 'new.txt'), 'not committed');
  await shard(inner, 2);
  const dirty = await merge();
  expect([dirty.exitCode, dirty.stdout]).toEqual([1, expect.stringContaining(`commit ${second}, dirty: new.txt`)]);
});
