// The review page in a real browser: reachable by keyboard, with names for everything, and silent.
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reviewPage } from '../../src/pages/review/reviewPage.js';
import { closeContexts, sharedChromium } from '../support/chromium.js';
import { entry, facts } from '../unit/pages/reviewFacts.js';
import { type Shown, showReview } from './reviewShow.js';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

const show = (html: string): Promise<Shown> => showReview(browser, html);

// As texts: the tests know no types of a page.
const focused = "document.activeElement.closest('.entry')?.id";
const whereAmI = `(() => {
  const at = document.activeElement;
  if (at.tagName === 'BODY') return '';
  return at.tagName.toLowerCase() + ' ' + (at.getAttribute('href') ?? at.closest('.entry')?.id ?? at.id);
})()`;

describe('the review page in a browser', () => {
  test('opens from disk with its pictures and without a word on the console', async () => {
    const { page, said } = await show(reviewPage(facts));
    const picture = page.locator('#pictures img');
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image) => image.complete && image.naturalWidth)).toBe(1);
    expect(await page.title()).toBe('Fail: The shop');
    expect(said).toEqual([]);
  });

  test('leads by keyboard to every claim, node that ran, entry and file', async () => {
    const { page } = await show(reviewPage(facts));
    const reached = new Set<string>();
    for (let press = 0; press < 120; press++) {
      await page.keyboard.press('Tab');
      const found = String(await page.evaluate(whereAmI));
      if (found === '') break;
      reached.add(found);
    }
    const links = [
      '#n-open',
      '#n-which',
      '#n-buy',
      '#n-buy_2f_ask',
      './screenshots/price.png',
      './logs/shop.log',
      './recipe.json',
      '#claims',
    ];
    const lines = ['n-open', 'n-which', 'n-buy', 'n-buy_2f_ask', 'n-again'].map((id) => `summary ${id}`);
    expect([...reached]).toEqual(
      expect.arrayContaining([
        ...links.map((link) => `a ${link}`),
        ...lines,
        'input search',
        'select show',
        'button next-failure',
      ]),
    );
  });

  test('opens the entry of a node that is chosen in the graph', async () => {
    const { page } = await show(reviewPage(facts));
    await page.locator('#graph a[href="#n-open"]').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#n-open > details').evaluate((details) => details.open)).toBe(true);
    expect(await page.evaluate(focused)).toBe('n-open');
  });

  test('finds entries by their words and keeps what is around them', async () => {
    const { page } = await show(reviewPage(facts));
    await page.getByLabel('Search').fill('received 49');
    await expect.poll(() => page.locator('#found').textContent()).toBe('1 entry');
    expect(await page.locator('.entry:visible').evaluateAll((items) => items.map(({ id }) => id))).toEqual([
      'n-buy',
      'n-buy_2f_ask',
    ]);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Show').selectOption('bad');
    await expect.poll(() => page.locator('#found').textContent()).toBe('2 entries');
  });

  test('goes from failure to failure, and says when there is none', async () => {
    const { page } = await show(reviewPage(facts));
    const visited: unknown[] = [];
    for (let press = 0; press < 3; press++) {
      await page.locator('#next-failure').click();
      visited.push(await page.evaluate(focused));
    }
    expect(visited).toEqual(['n-buy', 'n-buy_2f_ask', 'n-buy']);
    const calm = await show(reviewPage({ ...facts, trace: [entry('a')] }));
    await calm.page.locator('#next-failure').click();
    expect(await calm.page.locator('#found').textContent()).toBe('Nothing failed.');
  });

  test('has landmarks, one heading of the first level, names for its controls, and headings without gaps', async () => {
    const { page } = await show(reviewPage(facts));
    expect(await page.locator('header, nav, main, footer').count()).toBe(4);
    expect(await page.locator('h1').count()).toBe(1);
    const unnamed = await page
      .locator('button, input, select, a, [role=region], img, video')
      .evaluateAll((all) =>
        all
          .filter(
            (one) =>
              !(
                one.textContent?.trim() ||
                one.getAttribute('aria-label') ||
                one.getAttribute('aria-labelledby') ||
                one.getAttribute('alt') ||
                one.labels?.length ||
                one.querySelector('img[alt]')
              ),
          )
          .map(({ outerHTML }) => outerHTML),
      );
    expect(unnamed).toEqual([]);
    const levels = await page.locator('h1, h2, h3').evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])));
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
  });
});
