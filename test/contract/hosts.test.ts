// One contract for the three hosts: they write the same package for the same recipe, except for times, hashes and the name of the host.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { withoutTimes } from '../support/normalizePackage.js';
import { filesBelow, type Package, readPackage } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { testMs } from '../support/patience.js';
import { body, exit, hears, recipe, say } from '../support/recipe.js';
import { moduleFolder, startProgram } from '../support/runVitest.js';
import { type VitestProject, vitestProject } from '../support/vitestProject.js';

const pages = await servePages();
afterAll(() => pages.close());

const flow = {
  version: 1,
  description: 'Says a word.',
  paramsSchema: { type: 'object', required: ['word'], properties: { word: { type: 'string' } } },
  workflow: {
    entry: 'say',
    nodes: {
      say: { action: 'command', intent: 'Say the word', argv: ['echo', '{{params.word}}'], next: 'done' },
      done: { action: 'end', status: 'pass' },
    },
  },
  postcondition: { path: '$.stdout', operator: 'contains', param: 'word' },
};

const recipes = {
  ui: recipe(
    {
      open: { action: 'ui.navigate', url: pages.url('<h1>Total 21</h1><button>Buy</button>') },
      press: { action: 'ui.press', text: 'Buy' },
      see: { action: 'ui.wait_for', text: 'Total 21', proofTarget: 'AC1' },
      keep: { action: 'ui.screenshot', proofTarget: 'AC1' },
    },
    { targets: ['AC1'] },
  ),
  composed: recipe(
    {
      call: { action: 'call', ref: 'shop.say', params: { word: 'kettle' }, proofTarget: 'AC1' },
      more: { action: 'call', ref: 'shop.say', params: { word: 'mug' } },
    },
    { uses: ['../flows/shop.flows.json'], targets: ['AC1'] },
  ),
  failing: recipe({ speak: say('hello'), leave: exit(3), never: say('x') }, { teardown: [say('bye')] }),
  skipped: recipe(
    {
      speak: say('hello'),
      gated: say('never', { when: { source: 'speak', path: '$.stdout', operator: 'contains', value: 'goodbye' } }),
      choose: {
        action: 'switch',
        cases: [{ when: { source: 'speak', path: '$.exitCode', operator: 'eq', value: 0 }, next: 'well' }],
        default: 'badly',
      },
      well: say('well', { next: 'done' }),
      badly: say('badly', { next: 'done' }),
      done: { action: 'end', status: 'pass' },
    },
    {},
  ),
  parallel: recipe({
    all: {
      action: 'rw.group',
      order: 'together',
      body: body({ first: { action: 'wait', duration_ms: 100 }, second: { action: 'wait', duration_ms: 700 } }),
    },
    hear: say('over'),
    listen: hears('hear', 'over'),
  }),
  secret: recipe(
    {
      use: { action: 'command', argv: ['sh', '-c', 'echo "it is $WORD"'], env: { WORD: '{{inputs.word}}' } },
      listen: hears('use', 'it is'),
    },
    { inputs: { word: { type: 'secret-ref', ref: 'env:SHOP_WORD' } } },
  ),
};

type Name = keyof typeof recipes;
const names = Object.keys(recipes) as Name[];
const env = { SHOP_WORD: 'Kiwi-Harbour-2231' };
const exitCodes: Record<Name, number> = { ui: 0, composed: 0, failing: 1, skipped: 0, parallel: 0, secret: 0 };

const files = {
  ...Object.fromEntries(names.map((name) => [`recipes/${name}.recipe.json`, recipes[name]])),
  'flows/shop.flows.json': { schema_version: 1, kind: 'recipe-flow-catalog', owner: 'shop', flows: { 'shop.say': flow } },
  'playwright.config.ts': `
    import { localChromium, withRecipes } from 'recipewright/playwright';
    export default withRecipes(
      { workers: 1, use: localChromium(), reporter: [['list'], ['recipewright/playwright/reporter', { outputDir: 'by-playwright' }]] },
      { recipes: 'recipes/*.recipe.json' },
    );
  `,
};

/** Returns the package folder of a recipe in one host. */
type Host = (name: Name) => string;

const hosts: Record<'vitest' | 'playwright', Host> = {
  vitest: (name) => `recipe-results/recipes/${name}`,
  playwright: (name) => `by-playwright/recipes/${name}`,
};

test('plain, Vitest and Playwright write the same packages, except for times, hashes and the name of the host', {
  timeout: testMs,
}, async () => {
  const project = vitestProject(files);
  const vitest = await project.run([], { env });
  expect(vitest).toMatchObject({ exitCode: 1, passed: 5, failed: 1 });
  const cli = join(moduleFolder('@playwright'), 'test', 'cli.js');
  const playwright = await startProgram([cli, 'test'], { cwd: project.dir, env }).ended;
  expect(playwright).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/1 failed[\s\S]*5 passed/) as unknown });
  for (const name of names) {
    expect([name, (await runPlain(project, name)).exitCode]).toEqual([name, exitCodes[name]]);
    const plain = readPackage(join(project.dir, 'plain', name));
    expectWhole(plain);
    for (const [host, dirOf] of Object.entries(hosts)) {
      const found = readPackage(join(project.dir, dirOf(name)));
      expectWhole(found);
      expect(found.summary.host?.name).toBe(host);
      expect(comparable(found), `${name} by ${host}`).toEqual(comparable(plain));
    }
  }
  expectDistinct(names.map((name) => readPackage(join(project.dir, 'plain', name))));
  expectNoSecret(project, [vitest.stdout, vitest.stderr, vitest.junit, playwright.stdout]);
});

function runPlain({ dir }: VitestProject, name: Name) {
  const args = ['run', '--recipe', `recipes/${name}.recipe.json`, '--artifacts-dir', `plain/${name}`];
  return startProgram([join(moduleFolder('recipewright'), 'dist', 'cli.js'), ...args], { cwd: dir, env }).ended;
}

// Different recipes must differ in the comparison, or the comparison proves nothing.
function expectDistinct(packages: readonly Package[]): void {
  const texts = packages.map((found) => JSON.stringify(comparable(found)));
  expect(new Set(texts).size).toBe(packages.length);
}

function expectNoSecret({ dir }: VitestProject, texts: readonly string[]): void {
  const folders = ['plain', 'recipe-results', 'by-playwright'].map((name) => join(dir, name));
  const contents = folders.flatMap((folder) => filesBelow(folder).map((file) => readFileSync(join(folder, file), 'latin1')));
  for (const text of [...texts, ...contents]) expect(text).not.toContain(env.SHOP_WORD);
}

/** Removes the host, its messages, and the bytes of videos, which depend on times. */
function comparable(found: Package): unknown {
  const videos = found.files.filter((file) => file.startsWith('videos/'));
  const files = Object.entries(withoutTimes(found)).filter(([file]) => !videos.includes(file));
  return [videos, withoutHost(Object.fromEntries(files))];
}

function withoutHost(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHost);
  if (typeof value !== 'object' || value === null) return value;
  const isVideo = (value as { type?: unknown }).type === 'video';
  const ignoredKeys = isVideo ? ['sha256', 'size'] : ['host', 'host_failure'];
  const entries = Object.entries(value).filter(([key]) => !ignoredKeys.includes(key));
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutHost(item)]));
}
