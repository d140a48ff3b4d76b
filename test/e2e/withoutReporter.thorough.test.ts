// Runs without our reporter: the workers write packages that are as complete and as correct.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectManifest, expectWhole } from '../support/evidence.js';
import { leaksOf } from '../support/leaksOf.js';
import { filesBelow, type Package, readPackages } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { openTestMcpServer } from '../support/testMcpServer.js';

const AC1 = { proofTarget: 'AC1' };
const red = recipe({ speak: say('hello'), listen: hears('speak', 'goodbye', AC1) }, { title: 'Red', targets: ['AC1'] });
/** Passes at the second attempt, because the first attempt writes a file. */
const second = recipe(
  { look: { action: 'command', argv: ['node', 'second.mjs'] }, listen: hears('look', 'there', AC1) },
  { title: 'Second', targets: ['AC1'] },
);
const kept = recipe(
  {
    keep: { action: 'lab.keep' },
    speak: say('hello'),
    listen: hears('speak', 'hello', AC1),
  },
  { title: 'Keeps a file', targets: ['AC1'] },
);
const secondScript = `import { existsSync, writeFileSync } from 'node:fs';
  console.log(existsSync('tried') ? 'there' : 'not yet');
  writeFileSync('tried', '');\n`;

/** Returns the content of a package without the parts that differ between two runs. */
function contentOf({ summary, files, manifest, trace, lines }: Package): object {
  const { status, reason, proof, total, failed, recipe, host } = summary;
  const types = manifest.artifacts.map(({ path, type, label, category }) => ({ path, type, label, category }));
  return {
    ...{ status, reason, proof, total, failed, recipe, host, files, types },
    nodes: trace.map(({ nodeId, ok }) => ({ nodeId, ok })),
    lines: lines.map(({ t, path, attempt }) => ({ t, path, attempt })),
  };
}

function contents(outputDir: string): Record<string, object> {
  return Object.fromEntries([...readPackages(outputDir)].sort().map(([name, found]) => [name, contentOf(found)]));
}

test('with the reporters of the command line, workers write the packages that the reporter of the config would have written', async ({
  project,
}) => {
  const inner = project(
    {
      'second.mjs': secondScript,
      'recipes.setup.ts': setupFile({
        'lab.keep':
          "return { artifacts: [{ path: 'note.txt', type: 'log', mimeType: 'text/plain', body: Buffer.from('kept') }] };",
      }),
      'recipes/green.recipe.json': sound(),
      'recipes/kept.recipe.json': kept,
      'recipes/red.recipe.json': red,
      'recipes/second.recipe.json': second,
      'tests/native.spec.ts': `import { test } from 'recipewright/playwright';
        test('runs one', async ({ recipe }) => { await recipe.run('recipes/green.recipe.json'); });`,
    },
    {
      config: {
        retries: 1,
        reporter: [['line'], ['recipewright/playwright/reporter', { outputDir: 'evidence' }]],
      },
    },
  );
  const reported = await inner.run();
  expect(reported.exitCode).toBe(1);
  const [evidence, before] = [join(inner.dir, 'evidence'), join(inner.dir, 'before')];
  renameSync(evidence, before);
  rmSync(join(inner.dir, 'tried'));
  const run = await inner.run(['--reporter=line']);
  expect(run).toMatchObject({ exitCode: 1, stderr: '' });
  expect(contents(evidence)).toEqual(contents(before));
  expect(Object.keys(contents(evidence))).toHaveLength(7);
  for (const found of readPackages(evidence).values()) expectWhole(found);
  expect(filesBelow(join(inner.dir, 'recipe-results'))).toEqual([]);
});

test('a package that a worker writes never passes without its test, and a package that cannot be written fails the test', async ({
  project,
}) => {
  const secret = 'open-sesame-4711';
  const inner = project({
    'recipes.setup.ts': setupFile({
      'lab.wait': 'await new Promise((resolve) => { setTimeout(resolve, 60_000); }); return {};',
      'lab.die': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); return {};",
    }),
    'recipes/green.recipe.json': sound(),
    'recipes/die.recipe.json': recipe({ speak: say('hello'), die: { action: 'lab.die' } }),
    'recipes/wait.recipe.json': recipe({ speak: say('hello'), wait: { action: 'lab.wait', timeout_ms: 60_000 } }),
    'own/fixture.spec.ts': `import { recipes, test as base } from 'recipewright/playwright';
      const test = base.extend<{ broken: void }>({
        broken: [async ({}, use) => { await use(); throw new Error('The fixture around it failed.'); }, { auto: true }],
      });
      recipes('../recipes/green.recipe.json', { setup: { test } });`,
    'own/all.spec.ts': `import { recipes, test } from 'recipewright/playwright';
      test.afterAll(() => { throw new Error('The last hook failed.'); });
      recipes('../recipes/green.recipe.json');`,
    'own/time.spec.ts': `import { recipes, test } from 'recipewright/playwright';
      import * as setup from '../recipes.setup.ts';
      test.beforeEach(({}, testInfo) => { testInfo.setTimeout(1); Object.defineProperty(testInfo, 'setTimeout', { value: () => {} }); });
      recipes('../recipes/wait.recipe.json', { setup });`,
    'own/death.spec.ts': `import { recipes } from 'recipewright/playwright';
      import * as setup from '../recipes.setup.ts';
      recipes('../recipes/die.recipe.json', { setup });`,
    'recipes/secret.recipe.json': recipe(
      { speak: say('hello', { env: { T: '{{t}}' } }), listen: hears('speak', 'hello') },
      { inputs: { t: { type: 'secret-ref', ref: 'env:T' } } },
    ),
    'own/secret.spec.ts': `import { recipes, test } from 'recipewright/playwright';
      test.afterEach(() => { throw new Error('The hook after it failed: the server refuses ' + process.env.T); });
      recipes('../recipes/secret.recipe.json');`,
    'own/taken.spec.ts': `import { recipes } from 'recipewright/playwright';
      recipes('../recipes/green.recipe.json');`,
    'recipes/other.recipe.json': sound('Another'),
    // A tool that wraps process.send and later restores the original function, so that our code misses the end of the test.
    'own/tool.spec.ts': `import { recipes, test as base } from 'recipewright/playwright';
      const { send } = process;
      const test = base.extend<{ tool: void }>({
        tool: [async ({}, use) => { await use(); process.send = send; }, { auto: true }],
      });
      recipes('../recipes/{green,other}.recipe.json', { setup: { test } });`,
    'own/config.ts': `export default { testDir: '.', workers: 1, reporter: 'line',
      projects: ['fixture', 'all', 'time', 'death', 'secret', 'taken', 'tool'].map((name) => ({ name, testMatch: name + '.spec.ts' })) };`,
  });
  const taken = join(inner.dir, 'own/recipe-results/recipes/green--taken');
  mkdirSync(taken, { recursive: true });
  writeFileSync(join(taken, 'mine.txt'), 'of somebody else');
  const run = await inner.run(['-c', 'own/config.ts'], { env: { T: secret } });
  expect(run).toMatchObject({ exitCode: 1, stderr: '' });
  // Only the two recipes beside the tool pass.
  expect(run.stdout).toMatch(/\n {2}6 failed\n[\s\S]*\n {2}2 passed /);
  expect(run.stdout.match(/^ {4}\[\w+\] › /gm)?.sort()).toEqual(
    ['all', 'death', 'fixture', 'secret', 'taken', 'time'].map((name) => `    [${name}] › `),
  );
  expect(run.stdout).toMatch(/recipe-results.recipes.green--taken contains files that recipewright did not write/);
  const packages = readPackages(join(inner.dir, 'own/recipe-results'));
  const reasons = Object.fromEntries([...packages].map(([name, { summary }]) => [name, `${summary.status}: ${summary.reason}`]));
  expect(reasons).toEqual({
    'recipes/green--all': expect.stringMatching(/^unknown: .*The last hook failed/),
    'recipes/green--fixture': expect.stringMatching(/^unknown: .*The fixture around it failed/),
    'recipes/wait--time': expect.stringMatching(/^unknown: /),
    'recipes/die--death': expect.stringMatching(/^unknown: .*the worker process ended before the test/),
    'recipes/secret--secret': expect.stringMatching(/^unknown: .*The hook after it failed: the server refuses (?!open)/),
    'recipes/green--tool': expect.stringMatching(/^pass: /),
    'recipes/other--tool': expect.stringMatching(/^pass: /),
  });
  for (const found of packages.values()) expectManifest(found);
  // Playwright's own text of the error of a hook is not ours.
  expect(leaksOf([secret], inner, run).filter((leak) => !leak.startsWith('test-results'))).toEqual([]);
});

test("workers write packages under Playwright's server for agents, which drops the reporters of the config", async ({
  project,
}) => {
  const inner = project(
    { 'recipes/green.recipe.json': sound(), 'recipes/red.recipe.json': red },
    { config: { reporter: [['blob'], ['recipewright/playwright/reporter', { outputDir: 'evidence' }]] } },
  );
  const server = await openTestMcpServer(inner.dir);
  try {
    expect(await server.runTests()).toMatch(/1 failed[\s\S]*1 passed/);
    const packages = readPackages(join(inner.dir, 'evidence'));
    expect([...packages].map(([name, { summary }]) => `${name} ${summary.status}`).sort()).toEqual([
      'recipes/green pass',
      'recipes/red fail',
    ]);
    // A second run in the same server replaces the results of the first run.
    inner.write({ 'recipes/red.recipe.json': sound() });
    expect(await server.runTests(['red.recipe.json'])).toContain('1 passed');
    expect(readPackages(join(inner.dir, 'evidence')).get('recipes/red')?.summary.status).toBe('pass');
  } finally {
    await server.close();
  }
});
