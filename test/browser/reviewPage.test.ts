// The review page in a real browser: keyboard, accessible names and an empty console.
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reviewPage } from '../../src/pages/review/reviewPage.js';
import { closeContexts, sharedChromium } from '../support/chromium.js';
import { entry, facts } from '../unit/pages/reviewFacts.js';
import { type OpenReview, showReview } from './reviewShow.js';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

const show = (html: string): Promise<OpenReview> => showReview(browser, html);

// Strings, because the tests are compiled without DOM types.
const readFocusedEntry = "document.activeElement.closest('.entry')?.id";
const readFocus = `(() => {
  const at = document.activeElement;
  if (at.tagName === 'BODY') return '';
  return at.tagName.toLowerCase() + ' ' + (at.getAttribute('href') ?? at.closest('.entry')?.id ?? at.id);
})()`;

describe('the review page in a browser', () => {
  test('the review page opens from disk with its screenshots and without console messages', async () => {
    const { page, messages } = await show(reviewPage(facts));
    const picture = page.locator('#pictures img');
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image) => image.complete && image.naturalWidth)).toBe(1);
    expect(await page.title()).toBe('Fail: The shop');
    expect(messages).toEqual([]);
  });

  test('the Tab key reaches every claim, node, entry and file of the review page', async () => {
    const { page } = await show(reviewPage(facts));
    const reached = new Set<string>();
    for (let press = 0; press < 120; press++) {
      await page.keyboard.press('Tab');
      const found = String(await page.evaluate(readFocus));
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

  test('a node in the graph of the review page opens its entry', async () => {
    const { page } = await show(reviewPage(facts));
    await page.locator('#graph a[href="#n-open"]').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#n-open > details').evaluate((details) => details.open)).toBe(true);
    expect(await page.evaluate(readFocusedEntry)).toBe('n-open');
  });

  test('the search of the review page finds entries and shows their parents', async () => {
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

  test('the button "Next failure" opens each failure, and reports when there is none', async () => {
    const { page } = await show(reviewPage(facts));
    const visited: unknown[] = [];
    for (let press = 0; press < 3; press++) {
      await page.locator('#next-failure').click();
      visited.push(await page.evaluate(readFocusedEntry));
    }
    expect(visited).toEqual(['n-buy', 'n-buy_2f_ask', 'n-buy']);
    const passed = await show(reviewPage({ ...facts, trace: [entry('a')] }));
    await passed.page.locator('#next-failure').click();
    expect(await passed.page.locator('#found').textContent()).toBe('Nothing failed.');
  });

  test('the review page has landmarks, one h1, named controls, and no gaps in its heading levels', async () => {
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
