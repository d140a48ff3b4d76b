// What "npm run pictures" runs: the example shop twice, as it is and with a rule changed, and takes the pictures of docs/ from what that leaves; the example desk is drawn as it is written.
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
/** More than a screen or two nobody looks at in a README. */
const tallest = 1300;
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

/** In a directory of its own, with the packages of this repository. */
async function runShop(name, change) {
  const dir = path.join(work, name);
  const left = /[\\/](recipe-results|test-results|playwright-report)([\\/]|$)/;
  cpSync(path.join(root, 'examples', 'shop'), dir, { recursive: true, filter: (file) => !left.test(file) });
  const rules = path.join(dir, 'quote.mjs');
  writeFileSync(rules, change(readFileSync(rules, 'utf8')));
  mkdirSync(path.join(dir, 'node_modules'), { recursive: true });
  for (const used of ['recipewright', '@playwright', 'playwright', 'playwright-core', 'zod'])
    symlinkSync(path.join(root, 'node_modules', used), path.join(dir, 'node_modules', used), 'junction');
  say(`Running the shop (${name})`);
  await runTool('@playwright/test/cli.js', ['test', '--project=recipes'], { cwd: dir, env: { PLAYWRIGHT_HTML_OPEN: 'never' } });
  return dir;
}

async function cli(args, cwd, expected = 0) {
  const { code, output } = await runTool('../dist/cli.js', args, { cwd });
  if (code !== expected) throw new Error(`recipewright ${args[0]} ended with ${code}:\n${output}`);
}

async function takePictures(shop, changed) {
  const { executablePath } = await ensureBrowser(say);
  const browser = await chromium.launch(executablePath ? { executablePath } : {});
  const shoot = async (name, file, prepare = async () => undefined) => {
    const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
    await page.goto(pathToFileURL(file).href);
    await prepare(page);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: 1100, height: Math.min(height, tallest) });
    await page.screenshot({ path: path.join(docs, `${name}.png`) });
    await page.close();
    say(`docs/${name}.png`);
  };
  // A slider in its middle says more than either side, and the first screen is what a reader of the README sees.
  const keep =
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
      // A video that is still loading looks like one that is not there.
      await page.locator('video').evaluateAll((all) =>
        Promise.all(
          all.map((video) => {
            video.controls = false;
            video.preload = 'auto';
            const isShown = () => video.readyState >= 2;
            return isShown() || new Promise((shown) => video.addEventListener('loadeddata', shown, { once: true }));
          }),
        ),
      );
      await page.evaluate((kept) => {
        for (const section of document.querySelectorAll('main > section, footer'))
          if (!kept.includes(section.id)) section.remove();
      }, ids);
    };
  await shoot('checkout-review', path.join(shop, 'recipe-results/recipes/checkout/review.html'), keep('claims', 'graph'));
  await shoot('suite', path.join(changed, 'recipe-results/index.html'));
  await shoot('compare', path.join(work, 'compare.html'), async (page) => {
    await page.evaluate(() => {
      const wanted = [...document.querySelectorAll('main > section')].filter(
        (section) => section.getAttribute('aria-label') === 'recipes/checkout',
      );
      for (const section of document.querySelectorAll('main > section'))
        if (wanted.length > 0 && !wanted.includes(section)) section.remove();
    });
  });
  await shoot('checkout-report', path.join(shop, 'playwright-report/index.html'), async (page) => {
    await page.getByRole('link', { name: 'Checkout' }).first().click();
    await page.getByText('Run the recipe').first().click();
    await page.getByText('See the confirmed order').first().waitFor();
  });
  await browser.close();
}
