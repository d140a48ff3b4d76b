// The pages that a reviewer opens after a run: of each package, of the suite, of the compared attempts, and Playwright's own report.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { freshPage, startChromium } from '../support/chromium.js';
import { packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

// Takes another picture at every visit, and passes at the second.
const setup = setupFile(
  {
    'lab.shoot': `
      const file = join(context.projectRoot, 'visits.txt');
      appendFileSync(file, 'x');
      const visits = readFileSync(file, 'utf8').length;
      const body = readFileSync(join(context.projectRoot, visits + '.png'));
      const artifacts = [{ path: "screenshots/it's a shop.png", type: 'screenshot', mimeType: 'image/png', body }];
      if (visits < 2) return { output: { visits }, artifacts, failure: new RecipeError('lab.early', 'action', 'Visit ' + visits + ' is too early.') };
      return { output: { visits }, artifacts };
    `,
  },
  "import { appendFileSync, readFileSync } from 'node:fs';\nimport { join } from 'node:path';",
);

test('the review pages of a run show their pictures, and one page compares the attempts of a flaky recipe', async ({
  project,
}) => {
  const browser = await startChromium();
  const page = await freshPage(browser);
  const inner = project(
    { 'recipes.setup.ts': setup, 'recipes/flaky.recipe.json': recipe({ shoot: { action: 'lab.shoot' } }, { title: 'Flaky' }) },
    { config: { retries: 1, reporter: [['html', { open: 'never' }], ['recipewright/playwright/reporter']] } },
  );
  for (const red of [1, 2]) writeFileSync(join(inner.dir, `${red}.png`), png(red * 90));
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));

  await page.goto(pathToFileURL(join(inner.dir, 'recipe-results/index.html')).href);
  await expect(page.locator('h1')).toHaveText('1 of 1 recipes passed');
  await expect(page.locator('tr.recipe')).toContainText('Flaky');
  await page.getByRole('link', { name: 'compare', exact: true }).click();
  await expect(page.locator('h2')).toHaveText('Try 1 and the last');
  await expect(page.locator('.pairs').first()).toContainText('shoot');
  expect(
    await page.getByAltText('Difference').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
  ).toBe(2);
  await page.goBack();
  await page.getByRole('link', { name: 'try 1' }).click();
  await expect(page.locator('.verdict')).toContainText('Fail');
  // The page of the first attempt cannot know the second one.
  await expect(page.locator('header')).not.toContainText('This is try');
  await page.goBack();
  await page.getByRole('link', { name: 'Flaky', exact: true }).click();
  await expect(page.locator('.verdict')).toContainText('Pass');
  await expect(page.locator('header')).toContainText('This is try 2. The page of the suite links to a comparison of all tries.');
  expect(verifyPackage(join(inner.dir, 'recipe-results/recipes/flaky'))).toMatchObject({ status: 'verified', verdict: 'pass' });

  const data = join(inner.dir, 'playwright-report/data');
  const attached = readdirSync(data).filter((name) => name.endsWith('.html'));
  expect(attached).toHaveLength(2);
  for (const name of attached) {
    await page.goto(pathToFileURL(join(data, name)).href);
    const image = page.locator('#pictures img');
    await image.scrollIntoViewIfNeeded();
    await expect.poll(() => image.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(2);
    const links = await page.locator('a[href^="./"]').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.filter((link) => !existsSync(join(data, String(link))))).toEqual([]);
  }
  expect(said).toEqual([]);
  await browser.close();
  const { dir } = packageOf(run, 'recipes/flaky');
  expect(readFileSync(join(dir, 'review.html'), 'utf8')).toContain('src="./screenshots/it&#39;s%20a%20shop.png"');
});

/** Creates a picture of two by two pixels with this amount of red. */
function png(red: number): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name), data, crcOf(Buffer.concat([Buffer.from(name), data]))]);
  };
  const row = [0, red, 0, 0, red, 0, 0];
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.from([...row, ...row]))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

function crcOf(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
