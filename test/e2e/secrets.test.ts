import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePng } from '../../src/browser/pngImage.js';
import { findChromium, launchOptionsFor } from '../../src/system/browsers.js';
import { sha256 } from '../../src/system/files/files.js';
import { echoInputs, echoNodes, echoPage, echoSecrets } from '../support/echoPage.js';
import { expectWhole } from '../support/evidence.js';
import { leaksOf } from '../support/leaksOf.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, type Files, type Project, type ProjectOptions, type Run, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';

// The tests share one run of all recipes that have the same config.
test.describe.configure({ mode: 'default' });

const pages = await servePages();

const canaries = {
  SHOP_ONE: 'Zebra-Quartz-7781-one',
  SHOP_TWO: 'Maple "Fjord" 5512\\two',
  SHOP_THREE: 'Otter.Basalt/9920?three',
};
const telltales = ['Zebra-Quartz', 'Fjord', 'Otter.Basalt', Buffer.from(canaries.SHOP_ONE).toString('base64').slice(0, 20)];

const inputs = {
  one: { type: 'secret-ref', ref: 'env:SHOP_ONE' },
  two: { type: 'secret-ref', ref: 'env:SHOP_TWO' },
  three: { type: 'secret-ref', ref: 'env:SHOP_THREE' },
};

// Ways of a project to expose a secret: it prints the secret, writes it, shows it in the page, and throws it in an error.
const setup = `
  import { defineAction, defineSetup } from 'recipewright';
  import { test as base } from 'recipewright/playwright';
  import { z } from 'zod';
  export const test = base;
  const own = (name: string, run: any) => defineAction({
    name, description: 'x', schema: z.strictObject({ value: z.string() }), examples: [], effect: 'user',
    secretFields: ['value'], needs: ['page'], fallible: () => true, run,
  });
  export default defineSetup({ actions: [
    own('lab.print', ({ value }: any) => { console.log('printed ' + value); console.error(value); return { output: { value } }; }),
    own('lab.type', async ({ value }: any, { fixtures }: any) => { await fixtures.page.getByTestId('field').fill(value); return {}; }),
    own('lab.visit', async ({ value }: any, { fixtures }: any) => {
      const url = new URL(fixtures.page.url());
      url.searchParams.set('token', value);
      await fixtures.page.goto(url.href);
      return { output: { url: fixtures.page.url() } };
    }),
    own('lab.miss', async ({ value }: any, { fixtures }: any) => { await fixtures.page.getByText(value).click({ timeout: 100 }); }),
    own('lab.throw', ({ value }: any) => { throw new Error('refused ' + value, { cause: new Error(value) }); }),
    own('lab.keep', ({ value }: any) => ({
      output: {},
      artifacts: [{ path: 'logs/kept.bin', type: 'log', body: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(value)]) }],
    })),
  ] });
`;

const all = '{{one}} {{two}} {{three}}';
const open = { action: 'ui.navigate', url: pages.url('<input data-testid=field>') };
const reporters = [
  ['list'],
  ['json', { outputFile: 'report.json' }],
  ['html'],
  ['junit', { outputFile: 'junit.xml' }],
  ['blob'],
  ['recipewright/playwright/reporter'],
];
const config = { reporter: reporters, use: { ...launchOptionsFor(findChromium()), trace: 'on', screenshot: 'on' } };

const files = {
  'recipes.setup.ts': setup,
  'recipes/passing.recipe.json': recipe(
    {
      env: { action: 'command', cmd: 'env; printf "%s\n" "$A" >&2; printf %s "$A" | base64 -w0', env: { A: all } },
      open,
      type: { action: 'lab.type', value: '{{one}}' },
      set: { action: 'ui.set_input', test_id: 'field', value: '{{two}}' },
      visit: { action: 'lab.visit', value: '{{three}}' },
      print: { action: 'lab.print', value: all },
      shot: { action: 'ui.screenshot' },
    },
    { title: 'It passes', inputs },
  ),
  'recipes/failing.recipe.json': recipe(
    { open, type: { action: 'lab.type', value: '{{two}}' }, throw: { action: 'lab.throw', value: all } },
    { title: 'It fails', inputs },
  ),
  'recipes/missing.recipe.json': recipe(
    { open, type: { action: 'lab.type', value: '{{one}}' }, miss: { action: 'lab.miss', value: all } },
    { title: 'It misses', inputs },
  ),
  'recipes/keeping.recipe.json': recipe({ open, keep: { action: 'lab.keep', value: '{{one}}' } }, { inputs }),
  'recipes/seen.recipe.json': recipe({ open, see: { action: 'ui.wait_for', test_id: 'field' } }),
  ...Object.fromEntries(
    echoSecrets.map((_, number) => {
      const inputs = { pw: { ...echoInputs.pw, ref: `env:ECHO_${number}` } };
      const nodes = { open: { ...open, url: pages.url(echoPage) }, ...echoNodes };
      return [`recipes/echo-${number}.recipe.json`, recipe(nodes, { inputs, targets: ['AC1'] })];
    }),
  ),
};

type All = { run: Run; leaks: string[]; traces: string[]; pictures: string[][] };
let shared: Promise<All> | undefined;

/** Reads the files on disk early, because the first test removes the project. */
function runAll(project: (files: Files, options: ProjectOptions) => Project): Promise<All> {
  shared ??= (async () => {
    const inner = project(files, { config });
    const echoed = Object.fromEntries(echoSecrets.map((secret, number) => [`ECHO_${number}`, secret]));
    const run = await inner.run([], { env: { ...canaries, ...echoed } });
    const leaks = leaksOf([...telltales, 's3cr3t-VALUE', 'WXYZ98'], inner, run);
    const leftovers = readdirSync(join(inner.dir, 'test-results'), { recursive: true }) as string[];
    expectWhole(packageOf(run, 'recipes/passing'));
    const pictures = echoSecrets.map((_, number) => {
      const { dir, files } = packageOf(run, `recipes/echo-${number}`);
      const names = files.filter((file) => file.endsWith('.png'));
      return names.map((file) => `${file} ${sha256(decodePng(readFileSync(join(dir, file))).pixels)}`);
    });
    return { run, leaks, traces: leftovers.filter((name) => name.endsWith('.zip')), pictures };
  })();
  return shared;
}

test('no report, trace, attachment, package or output of a run contains one of its three secrets', async ({ project }) => {
  const { run, leaks } = await runAll(project);
  expect(run).toMatchObject({ exitCode: 1, passed: 4, failed: 3 });
  // The failures are the expected ones, without the values.
  expect(run.stdout).toContain('refused [secret:');
  expect(run.stdout).toContain('printed [secret:');
  expect(leaks).toEqual([]);
  const { summary } = packageOf(run, 'recipes/passing');
  expect(summary).toMatchObject({ status: 'pass' });
  expect(summary.inputs).toMatchObject({ one: { value: '[secret]', origin: 'secret-ref' } });
});

test('a secret that the page shows as text is in no picture: pictures of different secrets are identical', async ({
  project,
}) => {
  const { run, leaks, pictures } = await runAll(project);
  expect(leaks).toEqual([]);
  for (const number of echoSecrets.keys()) {
    const { summary, manifest } = packageOf(run, `recipes/echo-${number}`);
    expect(summary.status).toBe('pass');
    const after = manifest.artifacts.find(({ path }) => path.endsWith('send-after.png'));
    expect(after).toMatchObject({ title: 'Echo', viewport: { width: 1280, height: 720 } });
    expect(after?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=\[secret:pw\]&html=/);
  }
  expect(pictures[0]?.length).toBeGreaterThan(4);
  expect(pictures[0]).toEqual(pictures[1]);
});

test('the search for leaks in this file finds a secret that a native test leaks in trace, report and output', async ({
  project,
}) => {
  const spec = `
    import { test } from '@playwright/test';
    test('a native test', async ({ page }) => {
      await page.goto(${JSON.stringify(open.url)});
      await page.getByTestId('field').fill(process.env.SHOP_ONE!);
      console.log(process.env.SHOP_ONE);
    });`;
  const inner = project({ 'tests/native.spec.ts': spec, 'recipes/a.recipe.json': sound() }, { config });
  const run = await inner.run(['native'], { env: canaries });
  expect(run).toMatchObject({ exitCode: 0, passed: 1 });
  const leaks = leaksOf(telltales, inner, run).map((leak) => leak.split(/[!:]/)[0]);
  for (const where of ['stdout', 'report.json', 'junit.xml', 'blob-report/', 'playwright-report/index.html'])
    expect(leaks.join('\n')).toContain(where);
  expect(leaks.some((leak) => leak?.endsWith('trace.zip'))).toBe(true);
});

test('evidence that still contains a secret is removed, and the run fails', async ({ project }) => {
  const { run, leaks } = await runAll(project);
  expect(leaks).toEqual([]);
  expect(run.exitCode).toBe(1);
  const { summary } = packageOf(run, 'recipes/keeping');
  expect(summary).toMatchObject({ status: 'fail' });
  expect(summary.reason).toContain('logs/kept.bin');
  expect(testsIn(run.report).find(({ file }) => file === 'recipes/keeping.recipe.json')).toMatchObject({ ok: false });
});

test('other recipes have traces even if one recipe has secrets', async ({ project }) => {
  const { run, traces } = await runAll(project);
  expect(packageOf(run, 'recipes/seen').summary.status).toBe('pass');
  expect(traces).toEqual([expect.stringMatching(/seen\.recipe.*trace\.zip$/)]);
});

test('a recipe with a missing secret says where the secret is looked up, and a recipe with a secret in plain text is refused', async ({
  project,
}) => {
  const speak = say('hello', { env: { A: '{{one}}' } });
  const listen = hears('speak', 'hello');
  const plain = { ...speak, description: `With ${canaries.SHOP_ONE}` };
  const inner = project({
    'recipes/a.recipe.json': recipe({ speak, listen }, { inputs: { one: inputs.one } }),
    'recipes/b.recipe.json': sound(),
    'recipes/c.recipe.json': recipe({ speak: plain, listen }, { inputs: { one: { ...inputs.one, ref: 'env:SHOP_PLAIN' } } }),
  });
  const run = await inner.run([], { env: { SHOP_PLAIN: canaries.SHOP_ONE } });
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  expect(run.stdout).toContain('The secret "one" has no value: env:SHOP_ONE is missing or empty.');
  expect(run.stdout).toContain('The recipe contains the value of a secret in plain text');
  // No evidence contains the secret.
  const results = join(inner.dir, 'recipe-results');
  const leftovers = readdirSync(results, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(leftovers.length).toBeGreaterThan(0);
  const leaks = leftovers.filter((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').includes(canaries.SHOP_ONE));
  expect(leaks.map(({ name }) => name)).toEqual([]);
});
