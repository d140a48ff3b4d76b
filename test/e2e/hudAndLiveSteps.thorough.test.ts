import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from '../../src/system/browsers.js';
import { startChromium } from '../support/chromium.js';
import { expectWhole } from '../support/evidence.js';
import { readHtmlReport, stepsOf } from '../support/htmlReport.js';
import { filesBelow, packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { eventMs, runMs } from '../support/patience.js';
import type { Project } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { nodeModules } from '../support/runPlaywright.js';
import { expect, shareRun, test } from '../support/sharedProject.js';
import { decodeVideo } from '../support/video.js';
import { unzip } from '../support/zip.js';

test.describe.configure({ mode: 'default' });

const pages = await servePages();

const page = pages.url(
  '<script>console.error("the page is unhappy")</script><h1>Total 21</h1><button data-testid=go>Go</button>',
);
/** On a busy machine, the default timeouts of 5 s for a node and 30 s for a test end before the page answers. */
const patient = { timeout_ms: eventMs };
const patientHost = { timeout: runMs };

const seen = recipe(
  {
    open: { action: 'ui.navigate', url: page, ...patient },
    press: { action: 'ui.press', test_id: 'go', proofTarget: 'AC1', ...patient },
    see: { action: 'ui.wait_for', text: 'Total 21', proofTarget: 'AC1', record: 'proof_window', ...patient },
  },
  { targets: ['AC1'] },
);

const reporter = [
  ['list'],
  ['html', { open: 'never' }],
  ['json', { outputFile: 'report.json' }],
  ['recipewright/playwright/reporter', { sizeBudgetMb: 0 }],
];
const runSeen = shareRun(
  { 'recipes/a.recipe.json': seen },
  { recipes: { use: { trace: 'on' } }, config: { ...patientHost, reporter } },
);

test('the pictures of a proof window name their node and claim, and the messages of the page are recorded', async ({
  project,
}) => {
  const { inner, run } = await runSeen(project);
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  const found = packageOf(run, 'recipes/a');
  expectWhole(found);
  const shots = found.manifest.artifacts.filter(({ type }) => type === 'screenshot');
  expect(shots.map(({ nodeId }) => nodeId)).toEqual(expect.arrayContaining(['press', 'see']));
  expect(shots.every(({ proofTarget }) => proofTarget === 'AC1')).toBe(true);
  expect(JSON.stringify(found.lines)).toContain('the page is unhappy');
  await test.step('the video can be played, and has the size of the page', async () => {
    const video = found.manifest.artifacts.find(({ type }) => type === 'video');
    expect(video).toMatchObject({ path: expect.stringMatching(/\.webm$/), proofTarget: 'AC1' });
    const browser = await startChromium();
    try {
      const { durationMs, ...size } = await decodeVideo(browser, readFileSync(join(found.dir, video?.path ?? '')), []);
      expect(size).toMatchObject({ width: 1_280, height: 720 });
      expect(durationMs).toBeGreaterThanOrEqual(500);
    } finally {
      await browser.close();
    }
  });
  await test.step('neither the report nor the trace of Playwright shows how the video was encoded', async () => {
    const [test] = readHtmlReport(join(inner.dir, 'playwright-report/index.html')).flatMap(({ tests }) => tests);
    const titles = stepsOf(test?.results[0]?.steps ?? []).map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['Launch browser', 'Create context', 'Create page', 'Click']));
    for (const title of ['Launch browser', 'Create context', 'Create page'])
      expect(titles.filter((other) => other === title)).toHaveLength(1);
    expect(titles.filter((title) => title.includes('CDP'))).toEqual([]);
    const traces = filesBelow(join(inner.dir, 'test-results')).filter((file) => file.endsWith('trace.zip'));
    expect(traces).toHaveLength(1);
    const files = unzip(readFileSync(join(inner.dir, 'test-results', traces[0] ?? '')));
    const events = [...files]
      .filter(([name]) => /\.(trace|network)$/.test(name))
      .flatMap(([, text]) => text.toString().split('\n'));
    expect(events.filter((event) => event.includes('"class":"BrowserContext","method":"newPage"'))).toHaveLength(1);
    expect(events.filter((event) => event.includes('encoder.recipewright'))).toEqual([]);
  });
});

test('packages above the size budget cause a warning, and still pass', async ({ project }) => {
  const { run } = await runSeen(project);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  expect(run.stdout).toMatch(/The packages of this run take up \d+ MB, more than the budget of 0 MB\./);
});

// Only a HUD adds an element with such a name to the page, and the page reports when it finds one.
const spying = pages.url(
  `<h1>Total 21</h1><script>
    const look = () => document.documentElement.lastElementChild.localName.startsWith('recipewright-hud') && console.error('a HUD is shown');
    new MutationObserver(look).observe(document.documentElement, { childList: true });
  </script>`,
);
const plain = recipe({
  open: { action: 'ui.navigate', url: spying, ...patient },
  see: { action: 'ui.wait_for', text: 'Total 21', ...patient },
});
const wrong = recipe({
  open: { action: 'ui.navigate', url: spying, ...patient },
  see: { action: 'ui.wait_for', text: 'Total 22', timeout_ms: 200 },
});

// Playwright records videos only with a program that it installs beside its browsers. If that is not installed, a program that stores
// its input replaces it, because this test only checks the page while Playwright records it.
function filming({ dir }: Project): { env?: Record<string, string> } {
  if (findChromium()?.source === 'playwright') return {};
  const { browsers } = JSON.parse(readFileSync(join(nodeModules, 'playwright-core/browsers.json'), 'utf8')) as {
    browsers: { name: string; revision: string }[];
  };
  const home = join(dir, 'browsers', `ffmpeg-${browsers.find(({ name }) => name === 'ffmpeg')?.revision}`);
  mkdirSync(home, { recursive: true });
  const keep = '#!/bin/sh\nfor file do :; done\nexec cat > "$file"\n';
  writeFileSync(join(home, process.platform === 'darwin' ? 'ffmpeg-mac' : 'ffmpeg-linux'), keep, { mode: 0o755 });
  return { env: { PLAYWRIGHT_BROWSERS_PATH: join(dir, 'browsers') } };
}

const runUnlike = shareRun(
  {
    'playwright.config.ts': `
      import { defineConfig } from '@playwright/test';
      import { localChromium, recipeProject } from 'recipewright/playwright';
      const unlike = (name, recipe, use) => recipeProject({ name, recipes: 'recipes/' + recipe + '.recipe.json', use });
      export default defineConfig({
        workers: 1,
        timeout: ${patientHost.timeout},
        use: localChromium(),
        reporter: [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']],
        projects: [
          unlike('filmed', 'plain', { video: 'on' }),
          unlike('unseen', 'seen', { recipeOptions: { record: false } }),
          unlike('docked', 'seen', { recipeOptions: { hud: { layout: 'docked' } } }),
          { ...unlike('retried', 'wrong', { video: 'on-first-retry' }), retries: 1 },
        ],
      });`,
    'recipes/plain.recipe.json': plain,
    'recipes/seen.recipe.json': seen,
    'recipes/wrong.recipe.json': wrong,
  },
  {},
  filming,
);
const hudIn = (found: { lines: unknown }): boolean => JSON.stringify(found.lines).includes('a HUD is shown');

test('recipeOptions in use turn pictures off, and a visible claim is then unproven', async ({ project }) => {
  const { run } = await runUnlike(project);
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 3 });
  const found = packageOf(run, 'recipes/seen--unseen');
  expect(found.manifest.artifacts.filter(({ type }) => type === 'screenshot')).toEqual([]);
  expect(found.summary).toMatchObject({ status: 'unknown', proof: [{ status: 'unproven' }] });
});

test('an unknown style of the HUD is refused with a list of the known styles', async ({ project }) => {
  const { run } = await runUnlike(project);
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 3 });
  expect(run.stdout).toContain(
    'recipeOptions.hud.layout is invalid: Invalid option: expected one of "bottom-bar"|"docked-bottom"|"card".',
  );
});

test('a video of Playwright shows the HUD, and a run without a video has none', async ({ project }) => {
  const { run } = await runUnlike(project);
  expect(run.stderr).toBe('');
  const filmed = packageOf(run, 'recipes/plain--filmed');
  expect(filmed.summary.status).toBe('pass');
  expect(hudIn(filmed)).toBe(true);
  expect(packageOf(run, 'recipes/wrong--retried').summary.status).toBe('fail');
  expect(hudIn(packageOf(run, '.attempts/recipes/wrong--retried/0'))).toBe(false);
  expect(hudIn(packageOf(run, 'recipes/wrong--retried'))).toBe(true);
});
