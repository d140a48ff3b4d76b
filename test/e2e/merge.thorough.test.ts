import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectWhole } from '../support/evidence.js';
import { allWithoutTimes, withoutTimes } from '../support/normalizePackage.js';
import { packageOf, readPackage } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, type Project, type Run, test } from '../support/project.js';
import { body, exit, hears, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const pages = await servePages();

const setup = setupFile(
  {
    // Continues at the first attempt.
    'lab.killAgain':
      "if (!existsSync('tried')) { writeFileSync('tried', ''); return {}; } process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
    'lab.large': "return { output: { text: 'ä'.repeat(50_000), at: 'an output may have any keys' } };",
    'lab.keep':
      "return { artifacts: [{ path: 'logs/note.txt', type: 'log', mimeType: 'text/plain', body: Buffer.from('a note') }] };",
  },
  "import { existsSync, writeFileSync } from 'node:fs';",
);

const files = {
  'recipes.setup.ts': setup,
  'recipes/keeping.recipe.json': recipe({ keep: { action: 'lab.keep' }, again: { action: 'lab.keep' } }),
  // Fails at the first attempt, and is killed at the second.
  'recipes/z-killed.recipe.json': recipe(
    { before: say('alive'), last: { action: 'lab.killAgain' }, leave: exit(3) },
    { teardown: [say('bye')] },
  ),
  'recipes/large.recipe.json': recipe({ large: { action: 'lab.large' }, speak: say('hello') }),
  'recipes/seen.recipe.json': recipe(
    {
      open: { action: 'ui.navigate', url: pages.url('<h1>Total 21</h1>') },
      see: { action: 'ui.wait_for', text: 'Total 21', proofTarget: 'AC1' },
      keep: { action: 'ui.screenshot', proofTarget: 'AC1' },
    },
    { targets: ['AC1'] },
  ),
  'recipes/together.recipe.json': recipe({
    all: { action: 'rw.group', order: 'in_turn', body: body({ one: say('1'), two: say('2') }) },
    ask: hears('all', '1', { stream: 'status', rw: { on_fail: 'continue' } }),
  }),
  'recipes/sound.recipe.json': sound(),
};

async function shardAndMerge(inner: Project): Promise<Run> {
  const exitCodes: (number | null)[] = [];
  for (const shard of ['1', '2']) {
    const env = { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(inner.dir, `blobs/shard-${shard}.zip`) };
    const run = await inner.run([`--shard=${shard}/2`, '--reporter=blob', '--retries=1'], { env });
    // Only one shard has the recipe that does not pass.
    exitCodes.push(run.exitCode);
  }
  expect(exitCodes.sort()).toEqual([0, 1]);
  // The merge runs without the files of the project and its runs, as on another machine.
  for (const name of ['recipes', 'test-results', 'recipes.setup.ts', 'playwright.config.ts']) inner.move(name, `away/${name}`);
  return inner.merge(['--reporter=recipewright/playwright/reporter', 'blobs']);
}

function expectChangesNoticed(dir: string): void {
  const before = withoutTimes(readPackage(dir));
  const changes: [file: string, from: string, to: string][] = [
    ['logs/note.txt', 'a note', 'b note'],
    ['summary.json', '"status": "pass"', '"status": "fail"'],
    ['trace.json', '"nodeId": "again"', '"nodeId": "agian"'],
    ['journal.jsonl', '"seq":3', '"seq":4'],
    ['journal.jsonl', '"ok":true', '"ok":true,"output":{"at":1}'],
    ['artifact-manifest.json', '"size": 6\n', '"size": 7\n'],
    ['recipe.json', '"title"', '"titel"'],
  ];
  for (const [name, from, to] of changes) {
    const file = join(dir, name);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
    expect(withoutTimes(readPackage(dir)), `${name}: ${to}`).not.toEqual(before);
    writeFileSync(file, text);
    expect(withoutTimes(readPackage(dir))).toEqual(before);
  }
}

test('two shards that are merged on another machine give the same packages as one run', async ({ project }) => {
  // Two videos never have the same bytes.
  const inner = project(files, { recipes: { use: { recipeOptions: { video: 'off' } } } });
  const whole = await inner.run(['--retries=1']);
  expect(whole).toMatchObject({ exitCode: 1, passed: 5, failed: 1 });
  rmSync(join(inner.dir, 'tried'));
  inner.move('recipe-results', 'direct/recipe-results');
  const direct = new Map([...whole.packages].map(([id]) => [id, readPackage(join(inner.dir, 'direct/recipe-results', id))]));

  await test.step('the comparison of packages notices a changed output, byte, key, verdict and order', () =>
    expectChangesNoticed(packageOf({ packages: direct }, 'recipes/keeping').dir));

  const merged = await shardAndMerge(inner);
  expect(merged.stderr).toBe('');
  expect([...direct.keys()].filter((id) => id.startsWith('.attempts/')).sort()).toEqual(['.attempts/recipes/z-killed/0']);
  expect(direct.size).toBe(7);
  expect(allWithoutTimes(merged.packages)).toEqual(allWithoutTimes(direct));
  for (const [id, found] of merged.packages) if (id !== 'recipes/z-killed') expectWhole(found);

  // This directory is not in a git repository.
  const index = readFileSync(join(inner.dir, 'recipe-results/index.md'), 'utf8');
  expect(index).toContain('- No package has a commit');

  const large = packageOf(merged, 'recipes/large');
  expect(large.trace[0]?.output).toEqual({ text: 'ä'.repeat(50_000), at: 'an output may have any keys' });
});

test('a recipe that never began has the same package after a merge on another machine', async ({ project }) => {
  const needing = recipe({ open: { action: 'ui.navigate', url: pages.url('hello') } }, { title: 'Needs a page' });
  const inner = project(
    { 'recipes/needing.recipe.json': needing },
    { config: { use: { launchOptions: { executablePath: '/no/such/browser' } } } },
  );
  const env = { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(inner.dir, 'blobs/all.zip') };
  const run = await inner.run(['--reporter=blob,recipewright/playwright/reporter'], { env });
  expect(run.exitCode).toBe(1);
  const direct = allWithoutTimes(run.packages);
  expect([...run.packages.keys()]).toEqual(['recipes/needing']);
  for (const name of ['recipes', 'test-results', 'recipe-results', 'playwright.config.ts']) inner.move(name, `away/${name}`);
  const merged = await inner.merge(['--reporter=recipewright/playwright/reporter', 'blobs']);
  expect(allWithoutTimes(merged.packages)).toEqual(direct);
});

test('a merge ends with 1 when captured evidence is missing from the blobs', async ({ project }) => {
  const inner = project(
    { 'recipes.setup.ts': setup, 'recipes/keeping.recipe.json': files['recipes/keeping.recipe.json'] },
    { config: { preserveOutput: 'failures-only' } },
  );
  const blob = await inner.run(['--reporter=blob'], { env: { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(inner.dir, 'blobs/all.zip') } });
  expect(blob).toMatchObject({ exitCode: 0, stderr: '' });
  // A run that writes a blob writes no packages.
  expect([...blob.packages]).toEqual([]);
  const merged = await inner.merge(['--reporter=recipewright/playwright/reporter', 'blobs']);
  const { summary } = packageOf(merged, 'recipes/keeping');
  // With and without the bytes, the exit code and the package agree.
  expect(merged.exitCode).toBe(summary.status === 'pass' ? 0 : 1);
});
