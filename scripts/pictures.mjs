// "npm run pictures": runs the example shop twice, unchanged and with one changed rule, and takes the screenshots in docs/ from the
// results. Also draws the graph of the example desk, without a run.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBrowser } from './browser.mjs';
import { root, runTool } from './run.mjs';
import { giveUp, say, setUp } from './setup.mjs';

const { chromium } = createRequire(path.join(root, 'package.json'))('@playwright/test');
const docs = path.join(root, 'docs');
/** The maximum height of a screenshot in the README, in pixels. */
const maxHeight = 1300;
const work = mkdtempSync(path.join(tmpdir(), 'recipewright-pictures-'));

try {
  await setUp({ browser: true }).catch(giveUp);
  const shop = await runShop('shop', (rules) => rules);
  const changed = await runShop('changed', (rules) => rules.replace('goodsCents >= 5000', 'goodsCents >= 9000'));
  await cli(
    [
      'graph',
      'recipes/checkout.recipe.json',
      '--package',
      'recipe-results/recipes/checkout',
      '--out',
      path.join(docs, 'checkout-graph.svg'),
    ],
    shop,
  );
  const desk = path.join(root, 'examples', 'desk');
  await cli(['graph', 'manifests/article.runtime.json', '--out', path.join(docs, 'article-graph.svg')], desk);
  await cli(['compare', 'shop/recipe-results', 'changed/recipe-results', '--html', 'compare.html'], work, 1);
  await takePictures(shop, changed);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Runs a copy of the shop in a temporary directory, with the packages of this repository. */
async function runShop(name, change) {
  const dir = path.join(work, name);
  const generated = /[\\/](recipe-results|test-results|playwright-report)([\\/]|$)/;
  cpSync(path.join(root, 'examples', 'shop'), dir, { recursive: true, filter: (file) => !generated.test(file) });
  const rules = path.join(dir, 'quote.mjs');
  writeFileSync(rules, change(readFileSync(rules, 'utf8')));
  mkdirSync(path.join(dir, 'node_modules'), { recursive: true });
  for (const name of ['recipewright', '@playwright', 'playwright', 'playwright-core', 'zod'])
    symlinkSync(path.join(root, 'node_modules', name), path.join(dir, 'node_modules', name), 'junction');
  say(`Running the shop (${name})`);
  await runTool('@playwright/test/cli.js', ['test', '--project=recipes'], { cwd: dir, env: { PLAYWRIGHT_HTML_OPEN: 'never' } });
  return dir;
}

async function cli(args, cwd, expected = 0) {
  const { code, output } = await runTool('../dist/cli.js', args, { cwd });
  if (code !== expected) throw new Error(`recipewright ${args[0]} exited with ${code}:\n${output}`);
}

async function takePictures(shop, changed) {
  const { executablePath } = await ensureBrowser(say);
  const browser = await chromium.launch(executablePath ? { executablePath } : {});
  const takeScreenshot = async (name, file, prepare = async () => undefined) => {
    const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
    await page.goto(pathToFileURL(file).href);
    await prepare(page);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: 1100, height: Math.min(height, maxHeight) });
    await page.screenshot({ path: path.join(docs, `${name}.png`) });
    await page.close();
    say(`docs/${name}.png`);
  };
  // Removes the other sections, because a reader of the README sees only the first screen.
  const keepSections =
    (...ids) =>
    async (page) => {
      await page.locator('img').evaluateAll((all) =>
        Promise.all(
          all.map((image) => {
            image.loading = 'eager';
            return image.decode().catch(() => undefined);
          }),
        ),
      );
      // A video that is still loading would look like a missing video.
      await page.locator('video').evaluateAll((all) =>
        Promise.all(
          all.map((video) => {
            video.controls = false;
            video.preload = 'auto';
            const hasFrame = () => video.readyState >= 2;
            return hasFrame() || new Promise((resolve) => video.addEventListener('loadeddata', resolve, { once: true }));
          }),
        ),
      );
      await page.evaluate((keptIds) => {
        for (const section of document.querySelectorAll('main > section, footer'))
          if (!keptIds.includes(section.id)) section.remove();
      }, ids);
    };
  await takeScreenshot(
    'checkout-review',
    path.join(shop, 'recipe-results/recipes/checkout/review.html'),
    keepSections('claims', 'graph'),
  );
  await takeScreenshot('suite', path.join(changed, 'recipe-results/index.html'));
  await takeScreenshot('compare', path.join(work, 'compare.html'), async (page) => {
    await page.evaluate(() => {
      const wanted = [...document.querySelectorAll('main > section')].filter(
        (section) => section.getAttribute('aria-label') === 'recipes/checkout',
      );
      for (const section of document.querySelectorAll('main > section'))
        if (wanted.length > 0 && !wanted.includes(section)) section.remove();
    });
  });
  await takeScreenshot('checkout-report', path.join(shop, 'playwright-report/index.html'), async (page) => {
    await page.getByRole('link', { name: 'Checkout' }).first().click();
    await page.getByText('Run the recipe').first().click();
    await page.getByText('See the confirmed order').first().waitFor();
  });
  await browser.close();
}
