// One command makes recipes the tests of a project without recipes.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expectWhole } from '../support/evidence.js';
import { filesBelow, packageOf, readPackages } from '../support/packages.js';
import { expect, type Project, test } from '../support/project.js';
import { nodeModules } from '../support/runPlaywright.js';

// The config that `npm init playwright` writes.
const playwrightConfig = `import { defineConfig, devices } from '@playwright/test';

/**
 * Read environment variables from file.
 * https://github.com/motdotla/dotenv
 */
// import dotenv from 'dotenv';
// import path from 'path';
// dotenv.config({ path: path.resolve(__dirname, '.env') });

/**
 * See https://playwright.dev/docs/test-configuration.
 */
export default defineConfig({
  testDir: './tests',
  /* Run tests in files in parallel */
  fullyParallel: true,
  /* Fail the build on CI if you accidentally left test.only in the source code. */
  forbidOnly: !!process.env.CI,
  /* Retry on CI only */
  retries: process.env.CI ? 2 : 0,
  /* Opt out of parallel tests on CI. */
  workers: process.env.CI ? 1 : undefined,
  /* Reporter to use. See https://playwright.dev/docs/test-reporters */
  reporter: 'html',
  /* Shared settings for all the projects below. See https://playwright.dev/docs/api/class-testoptions. */
  use: {
    /* Base URL to use in actions like \`await page.goto('')\`. */
    // baseURL: 'http://localhost:3000',

    /* Collect trace when retrying the failed test. See https://playwright.dev/docs/trace-viewer */
    trace: 'on-first-retry',
  },

  /* Configure projects for major browsers */
  projects: [
    {
      name: 'chromium',
      use: { ...devices['Desktop Chrome'] },
    },

    {
      name: 'firefox',
      use: { ...devices['Desktop Firefox'] },
    },

    /* Test against mobile viewports. */
    // {
    //   name: 'Mobile Chrome',
    //   use: { ...devices['Pixel 5'] },
    // },
  ],

  /* Run your local dev server before starting the tests */
  // webServer: {
  //   command: 'npm run start',
  //   url: 'http://localhost:3000',
  //   reuseExistingServer: !process.env.CI,
  // },
});
`;

const native = "import { expect, test } from '@playwright/test';\ntest('it adds up', () => expect(1 + 1).toBe(2));\n";
const program = join(nodeModules, 'recipewright/dist/cli.js');
const execute = promisify(execFile);
const init = async ({ dir }: Project): Promise<string> =>
  (await execute(process.execPath, [program, 'init'], { cwd: dir })).stdout;

/** Reads the content of every file of the project. */
function textsOf({ dir }: Project): Record<string, string> {
  const own = filesBelow(dir).filter((file) => !file.startsWith('node_modules/'));
  return Object.fromEntries(own.map((file) => [file, readFileSync(join(dir, file), 'utf8')]));
}

/** Runs init twice in a project without recipes. */
async function initTwice(inner: Project, config: string): Promise<void> {
  const before = textsOf(inner);
  const result = await init(inner);
  const after = textsOf(inner);
  const added = ['.gitignore', '.vscode/settings.json', 'recipes.setup.ts', 'recipes/example.recipe.json'];
  expect(Object.keys(after).sort()).toEqual([...Object.keys(before), ...added].sort());
  expect(Object.keys(before).filter((file) => before[file] !== after[file])).toEqual([config]);
  for (const file of added) expect(result).toContain(`new ${file}`);
  expect(result).toContain(`changed ${config}`);
  expect(result).toContain('recipe_run');
  // Everything in the config is still there, comments included.
  const lines = (after[config] ?? '').split('\n');
  const removedLines = (before[config] ?? '').split('\n').filter((line) => !lines.includes(line));
  expect(removedLines.map((line) => line.trim())).toEqual(['export default defineConfig({', '});']);

  expect(await init(inner)).toContain('Nothing to change');
  expect(textsOf(inner)).toEqual(after);
}

test('init makes recipes the tests of a Playwright project, and a second init changes nothing', async ({ project }) => {
  const inner = project({
    'package.json': { name: 'fresh', private: true, devDependencies: { '@playwright/test': '^1.65.0' } },
    'playwright.config.ts': playwrightConfig,
    'tests/example.spec.ts': native,
  });
  await initTwice(inner, 'playwright.config.ts');
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  // The native test runs in both of its projects, and the recipe once.
  expect(run.stdout).toMatch(/\n {2}3 passed /);
  const found = packageOf(run, 'recipes/example');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven' }] });
  // The reporter of the config still reports.
  expect(existsSync(join(inner.dir, 'playwright-report/index.html'))).toBe(true);
  expect(run.stdout).toMatch(/pass +recipes\/example/);
});

const config = `
  import { defineConfig } from '@playwright/test';
  import { withRecipes } from 'recipewright/playwright';
  export default withRecipes(defineConfig({ testDir: './tests' }), { recipes: 'recipes/*.recipe.json' });`;
const end = { action: 'end', status: 'pass' };
const speak = { action: 'command', intent: 'Ask Node for its version', argv: ['node', '--version'], next: 'end' };
const runs = { schema_version: 1, title: 'It runs', validate: { workflow: { entry: 'speak', nodes: { speak, end } } } };

for (const [reporter, env, output] of [
  ['no reporter', {}, /✓ +1 .*It runs/],
  ['no reporter on CI', { CI: '1' }, /\n·\n/],
] as const) {
  test(`a config with ${reporter} keeps what Playwright does then, and gets packages`, async ({ project }) => {
    const inner = project({ 'playwright.config.ts': config, 'recipes/a.recipe.json': runs });
    const run = await inner.run([], { env });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toMatch(output);
    expect([...run.packages.keys()]).toEqual(['recipes/a']);
    // Listing the tests changes nothing.
    const listed = await inner.run(['--list'], { env });
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect([...listed.packages.keys()]).toEqual(['recipes/a']);
  });
}

test('a config with a blob reporter leaves the packages to the merge', async ({ project }) => {
  const blob = await project({
    'playwright.config.ts': config.replace("testDir: './tests'", "reporter: 'blob'"),
    'recipes/a.recipe.json': runs,
  }).run([], { env: { CI: '1' } });
  expect(blob).toMatchObject({ exitCode: 0, stderr: '' });
  expect(blob.packages.size).toBe(0);
});

test('init makes recipes the tests of a Vitest project, and a second init changes nothing', async ({ project }) => {
  const vitest = join(nodeModules, 'vitest');
  test.skip(!existsSync(vitest), 'Vitest is not installed here.');
  const inner = project({
    'package.json': { name: 'fresh', private: true, type: 'module', devDependencies: { vitest: '^4.1.0' } },
    'vitest.config.ts': `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Our own tests.
    include: ['tests/**/*.test.ts'],
  },
});
`,
    'tests/example.test.ts': "import { expect, test } from 'vitest';\ntest('it adds up', () => expect(1 + 1).toBe(2));\n",
  });
  for (const name of ['vitest', 'vite']) symlinkSync(join(nodeModules, name), join(inner.dir, 'node_modules', name), 'junction');
  await initTwice(inner, 'vitest.config.ts');
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1' };
  const { stdout } = await execute(process.execPath, [join(vitest, 'vitest.mjs'), 'run'], { cwd: inner.dir, env });
  expect(stdout).toMatch(/Tests +2 passed/);
  const packages = readPackages(join(inner.dir, 'recipe-results'));
  expect([...packages].map(([id, { summary }]) => [id, summary.status])).toEqual([['recipes/example', 'pass']]);
});
