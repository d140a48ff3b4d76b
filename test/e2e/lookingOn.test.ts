import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from '../../src/system/browsers.js';
import { findFfmpeg } from '../../src/system/ffmpeg.js';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { nodeModules } from '../support/runPlaywright.js';

const pages = await servePages();

const page = pages.url(
  '<script>console.error("the page is unhappy")</script><h1>Total 21</h1><button data-testid=go>Go</button>',
);
const seen = recipe(
  {
    open: { action: 'ui.navigate', url: page },
    press: { action: 'ui.press', test_id: 'go', proofTarget: 'AC1' },
    see: { action: 'ui.wait_for', text: 'Total 21', proofTarget: 'AC1', record: 'proof_window' },
  },
  { targets: ['AC1'] },
);

test('what a proof window shows is kept with its node and claim, and what the page said is on record', async ({ project }) => {
  const inner = project({ 'recipes/a.recipe.json': seen });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  const found = packageOf(run, 'recipes/a');
  expectWhole(found);
  const shots = found.manifest.artifacts.filter(({ type }) => type === 'screenshot');
  expect(shots.map(({ nodeId }) => nodeId)).toEqual(expect.arrayContaining(['press', 'see']));
  expect(shots.every(({ proofTarget }) => proofTarget === 'AC1')).toBe(true);
  expect(JSON.stringify(found.lines)).toContain('the page is unhappy');
});

test('who wants no pictures says so in use, and a claim that is visible then has no proof', async ({ project }) => {
  const inner = project({ 'recipes/a.recipe.json': seen }, { recipes: { use: { recipeOptions: { record: false } } } });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 1, failed: 1 });
  const found = packageOf(run, 'recipes/a');
  expect(found.manifest.artifacts.filter(({ type }) => type === 'screenshot')).toEqual([]);
  expect(found.summary).toMatchObject({ status: 'unknown', proof: [{ status: 'unproven' }] });
});

test('a look of the HUD that there is not is refused, with those that there are', async ({ project }) => {
  const use = { recipeOptions: { hud: { layout: 'docked' } } };
  const run = await project({ 'recipes/a.recipe.json': seen }, { recipes: { use } }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  expect(run.stdout).toContain(
    'recipeOptions.hud.layout cannot be used: Invalid option: expected one of "bottom-bar"|"docked-bottom"|"card".',
  );
});

test('packages that are larger than the budget are told of, and pass all the same', async ({ project }) => {
  const reporter = ['recipewright/playwright/reporter', { sizeBudgetMb: 0 }];
  const run = await project({ 'recipes/a.recipe.json': seen }, { config: { reporter: [['list'], reporter] } }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  expect(run.stdout).toMatch(/The packages of this run hold \d+ MB, more than the budget of 0 MB\./);
});

// Only a HUD puts an element with such a name into the page; here the page itself says so, once it has seen one.
const spying = pages.url(
  `<h1>Total 21</h1><script>
    const look = () => document.documentElement.lastElementChild.localName.startsWith('recipewright-hud') && console.error('a HUD is shown');
    new MutationObserver(look).observe(document.documentElement, { childList: true });
  </script>`,
);
const plain = recipe({ open: { action: 'ui.navigate', url: spying }, see: { action: 'ui.wait_for', text: 'Total 21' } });
const wrong = recipe({
  open: { action: 'ui.navigate', url: spying },
  see: { action: 'ui.wait_for', text: 'Total 22', timeout_ms: 200 },
});

// Playwright films with an ffmpeg of its own; where its browsers are not installed, the one of the machine stands in for it.
function filming(dir: string): { env?: Record<string, string> } {
  const ffmpeg = findChromium() && findFfmpeg();
  if (!ffmpeg) return {};
  const { browsers } = JSON.parse(readFileSync(join(nodeModules, 'playwright-core/browsers.json'), 'utf8')) as {
    browsers: { name: string; revision: string }[];
  };
  const home = join(dir, 'browsers', `ffmpeg-${browsers.find(({ name }) => name === 'ffmpeg')?.revision}`);
  mkdirSync(home, { recursive: true });
  symlinkSync(ffmpeg, join(home, process.platform === 'darwin' ? 'ffmpeg-mac' : 'ffmpeg-linux'));
  return { env: { PLAYWRIGHT_BROWSERS_PATH: join(dir, 'browsers') } };
}

test('a video of the host shows the HUD, and a run that nobody films has none', async ({ project }) => {
  const hudIn = (found: { lines: unknown }): boolean => JSON.stringify(found.lines).includes('a HUD is shown');
  const always = project({ 'recipes/a.recipe.json': plain }, { recipes: { use: { video: 'on' } } });
  const filmed = await always.run([], filming(always.dir));
  expect(filmed).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  expect(hudIn(packageOf(filmed, 'recipes/a'))).toBe(true);
  const retried = { recipes: { use: { video: 'on-first-retry' } }, config: { retries: 1 } };
  const sometimes = project({ 'recipes/a.recipe.json': wrong }, retried);
  const again = await sometimes.run([], filming(sometimes.dir));
  expect(again).toMatchObject({ exitCode: 1, failed: 1 });
  expect(hudIn(packageOf(again, '.attempts/recipes/a/0'))).toBe(false);
  expect(hudIn(packageOf(again, 'recipes/a'))).toBe(true);
});
