import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePng } from '../../src/browser/picture.js';
import { findChromium, launchOptionsFor } from '../../src/system/browsers.js';
import { sha256 } from '../../src/system/files.js';
import { echoInputs, echoNodes, echoPage, echoSecrets } from '../support/echoPage.js';
import { expectWhole } from '../support/evidence.js';
import { leaksOf } from '../support/leaksOf.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, type Project, type Run, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';

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

// What a project does with a secret by itself: prints it, writes it, shows it to the page, fails with it.
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
};

const leaksIn = (inner: Project, run: Run): string[] => leaksOf(telltales, inner, run);

test('three secrets are in no report, trace, attachment, package or line of output of the run', async ({ project }) => {
  const inner = project(files, { config });
  const run = await inner.run([], { env: canaries });
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  // The failures are those that were meant, told without the values.
  expect(run.stdout).toContain('refused [secret:');
  expect(run.stdout).toContain('printed [secret:');
  expect(leaksIn(inner, run)).toEqual([]);
  const found = packageOf(run, 'recipes/passing');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'pass' });
  expect(found.summary.inputs).toMatchObject({ one: { value: '[secret]', origin: 'secret-ref' } });
});

test('a secret that the page shows as text is in no picture: those of two secrets are the same', async ({ project }) => {
  const document = recipe(
    { open: { ...open, url: pages.url(echoPage) }, ...echoNodes },
    { inputs: echoInputs, targets: ['AC1'] },
  );
  const inner = project({ 'recipes/a.recipe.json': document }, { config });
  const kept: string[][] = [];
  for (const secret of echoSecrets) {
    const run = await inner.run([], { env: { PW: secret } });
    expect(run).toMatchObject({ exitCode: 0, passed: 1 });
    expect(leaksOf(['s3cr3t-VALUE', 'WXYZ98'], inner, run)).toEqual([]);
    const { dir, files, manifest } = packageOf(run, 'recipes/a');
    const after = manifest.artifacts.find(({ path }) => path.endsWith('send-after.png'));
    expect(after).toMatchObject({ title: 'Echo', viewport: { width: 1280, height: 720 } });
    expect(after?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=\[secret:pw\]&html=/);
    const pictures = files.filter((file) => file.endsWith('.png'));
    kept.push(pictures.map((file) => `${file} ${sha256(decodePng(readFileSync(join(dir, file))).pixels)}`));
  }
  expect(kept[0]?.length).toBeGreaterThan(4);
  expect(kept[0]).toEqual(kept[1]);
});

test('the search for leaks finds a secret that a native test lets out by trace, report and output', async ({ project }) => {
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
  const leaks = leaksIn(inner, run).map((leak) => leak.split(/[!:]/)[0]);
  for (const where of ['stdout', 'report.json', 'junit.xml', 'blob-report/', 'playwright-report/index.html'])
    expect(leaks.join('\n')).toContain(where);
  expect(leaks.some((leak) => leak?.endsWith('trace.zip'))).toBe(true);
});

test('evidence that still holds a secret is taken out, and the run fails for it', async ({ project }) => {
  const inner = project(
    {
      'recipes.setup.ts': setup,
      'recipes/a.recipe.json': recipe({ open, keep: { action: 'lab.keep', value: '{{one}}' } }, { inputs }),
    },
    { config },
  );
  const run = await inner.run([], { env: canaries });
  expect(run).toMatchObject({ exitCode: 1, failed: 1 });
  expect(leaksIn(inner, run)).toEqual([]);
  const found = packageOf(run, 'recipes/a');
  expect(found.summary).toMatchObject({ status: 'fail' });
  expect(found.summary.reason).toContain('logs/kept.bin');
});

test('a recipe with a secret that is not there says so, and where it is looked for', async ({ project }) => {
  const run = await project({
    'recipes/a.recipe.json': recipe(
      { speak: say('hello', { env: { A: '{{one}}' } }), listen: hears('speak', 'hello') },
      { inputs: { one: inputs.one } },
    ),
    'recipes/b.recipe.json': sound(),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expect(run.stdout).toContain('The secret "one" has no value: env:SHOP_ONE is not there or empty.');
});

test('a recipe that holds a secret in plain text is refused, and part of no evidence', async ({ project }) => {
  const speak = say('hello', { env: { A: '{{one}}' }, description: `With ${canaries.SHOP_ONE}` });
  const inner = project({
    'recipes/a.recipe.json': recipe({ speak, listen: hears('speak', 'hello') }, { inputs: { one: inputs.one } }),
  });
  const run = await inner.run([], { env: { SHOP_ONE: canaries.SHOP_ONE } });
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  expect(run.stdout).toContain('The recipe holds the value of a secret in plain text');
  const results = join(inner.dir, 'recipe-results');
  const files = readdirSync(results, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  const leaks = files.filter((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').includes(canaries.SHOP_ONE));
  expect(leaks.map(({ name }) => name)).toEqual([]);
});

test('other recipes keep their traces beside one that has secrets', async ({ project }) => {
  const seen = recipe({ open, see: { action: 'ui.wait_for', test_id: 'field' } });
  const inner = project(
    { 'recipes.setup.ts': setup, 'recipes/a.recipe.json': files['recipes/passing.recipe.json'], 'recipes/b.recipe.json': seen },
    { config },
  );
  const run = await inner.run([], { env: canaries });
  expect(run).toMatchObject({ exitCode: 0, passed: 2 });
  const traces = (readdirSync(join(inner.dir, 'test-results'), { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.zip'),
  );
  expect(traces).toEqual([expect.stringMatching(/b\.recipe.*trace\.zip$/)]);
});
