// Our HTML pages in a real browser: axe finds no problem, and the console stays empty.
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reviewPage } from '../../src/pages/review/reviewPage.js';
import { comparePage } from '../../src/review/compare/comparePage.js';
import { suitePage } from '../../src/review/suite/suitePage.js';
import { closeContexts, sharedChromium } from '../support/chromium.js';
import { hostileTexts } from '../support/hostileTexts.js';
import { artifacts, facts, summary } from '../unit/pages/reviewFacts.js';
import { axeProblems } from './axeProblems.js';
import { showReview } from './reviewShow.js';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

const attack = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>"'${hostileTexts.join(' ')}`;

const shot = (path: string, rest: object = {}) => ({ path, type: 'screenshot', nodeId: 'buy/ask', proofTarget: 'AC1', ...rest });
const pairs = [
  ...artifacts,
  ...['before', 'before-hud', 'after', 'after-hud'].map((name) => shot(`screenshots/ask-${name}.png`)),
];

const runResult = { status: 'pass', reason: 'all proven', durationMs: 10 };
const run = (words: string) => ({
  ...{ name: words, before: runResult, after: { ...runResult, status: 'fail', reason: words }, isWorse: true },
  claims: [
    { id: words, claim: words, before: 'proven', after: 'refuted', change: 'worse' as const },
    { id: 'AC2', claim: 'More.', after: 'proven', change: 'added' as const },
  ],
  trace: {
    ...{ onlyBefore: [words], onlyAfter: ['b'], results: [{ nodeId: words, before: 'passed', after: 'failed' }], more: 3 },
    ...{ outputs: [{ nodeId: 'a', before: words, after: '2' }], times: [{ nodeId: 'a', before: 1, after: 2_000 }] },
  },
  pictures: [{ path: words, change: 'only after' as const }],
});

const pages = (words: string): [string, string][] => [
  ['review', reviewPage({ ...facts, artifacts: pairs })],
  [
    'suite',
    suitePage({
      rows: [
        {
          name: words,
          summary: { ...summary, reason: words, recipe: { id: words, digest: '', title: words } },
          isFlaky: true,
          earlier: 1,
        },
        { name: 'recipes/late', detail: words },
        { name: 'recipes/left', skipped: true },
      ],
      coverage: {
        ...{
          branches: [
            { name: words, isTaken: false },
            { name: 'b', isTaken: true },
          ],
          flows: [{ name: 'f', isTaken: true }],
        },
        ...{ actions: [], notDrawn: 1 },
      },
      findFailure: () => ({
        nodeId: words,
        intent: words,
        error: words,
        failedAsserts: [{ held: false, operator: words, expected: words, actual: 1 }],
        artifacts: [words],
      }),
    }),
  ],
  ['compare', comparePage({ title: words, comparison: { isWorse: true, runs: [run(words)] }, findPair: () => undefined })],
];

describe('HTML pages', () => {
  test.for(pages('A shop'))('the %s page has no accessibility problem', async ([, html]) => {
    const { page, messages } = await showReview(browser, html);
    expect(await axeProblems(page)).toEqual([]);
    expect(messages.filter((text) => !/Failed to load resource|ERR_FILE_NOT_FOUND/.test(text))).toEqual([]);
  });

  test.for(pages(attack).slice(1))('the %s page runs no script from a recipe', async ([, html]) => {
    const { page, messages } = await showReview(browser, html);
    expect(await page.evaluate("[window.hit, document.scripts.length, document.querySelectorAll('[onerror]').length]")).toEqual([
      undefined,
      1,
      0,
    ]);
    expect(messages.filter((text) => !/Failed to load resource|ERR_FILE_NOT_FOUND/.test(text))).toEqual([]);
    expect(await page.evaluate('document.body.innerText')).not.toMatch(/[^\P{C}\n\t]/u);
  });

  test('axe finds the problems of a bad page', async () => {
    const bad = reviewPage(facts)
      .replace('<select id="show">', '<select id="search">')
      .replace('<main', '<p>a<a href="#x"></a></p><h4>left out</h4><section aria-label="Graph"></section><main');
    const { page } = await showReview(browser, bad);
    const found = new Set((await axeProblems(page)).map((problem) => problem.replace(/:.*/s, '')));
    expect([...found]).toEqual(expect.arrayContaining(['link-name', 'duplicate-id-active', 'heading-order', 'landmark-unique']));
  });

  test('the review page shows before and after screenshots under a slider, with a switch for the HUD', async () => {
    const { page } = await showReview(browser, reviewPage({ ...facts, artifacts: pairs }));
    const slider = page.locator('#pictures').getByRole('slider');
    await slider.focus();
    await page.keyboard.press('End');
    const edge = "getComputedStyle(document.querySelector('#pictures .later')).clipPath";
    expect(await page.evaluate(edge)).toBe('inset(0px 0px 0px 100%)');
    const visible = () =>
      page.locator('#pictures .pair img:visible').evaluateAll((all) => all.map((one) => one.getAttribute('src')));
    expect(await visible()).toEqual(['./screenshots/ask-before.png', './screenshots/ask-after.png']);
    await page.getByLabel('Show the HUD').press('Space');
    expect(await visible()).toEqual(['./screenshots/ask-before-hud.png', './screenshots/ask-after-hud.png']);
  });

  test('the search of the suite page finds recipes by name', async () => {
    const rows = ['cart', 'price', 'till'].map((name) => ({
      name: `recipes/${name}`,
      summary: { ...summary, recipe: { id: name, digest: '' } },
    }));
    const { page } = await showReview(browser, suitePage({ rows, findFailure: () => undefined }));
    await page.getByLabel('Search').fill('pric');
    await expect.poll(() => page.locator('#found').textContent()).toBe('1 recipe');
    expect(await page.locator('tr.recipe:visible th').allTextContents()).toEqual(['recipes/price']);
  });
});
