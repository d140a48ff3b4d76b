// The review page with 2,000 entries, and with hostile texts.
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reviewPage } from '../../src/pages/review/reviewPage.js';
import { closeContexts, sharedChromium } from '../support/chromium.js';
import { hostileTexts } from '../support/hostileTexts.js';
import { eventMs } from '../support/patience.js';
import { done, recipeOf, step } from '../unit/pages/graphs.js';
import { artifacts, entry, facts, summary } from '../unit/pages/reviewFacts.js';
import { type OpenReview, showReview } from './reviewShow.js';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

const show = (html: string): Promise<OpenReview> => showReview(browser, html);

// A string, because the tests are compiled without DOM types.
const harm = "[window.hit, document.scripts.length, document.querySelectorAll('[onerror],[onload]').length]";

describe('the review page', () => {
  test('a review page with 2,000 entries can be searched', async () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => `n${index}`);
    const chain = ids.map((id, index) => [id, step(`Do ${id}`, ids[index + 1] ?? 'done')]);
    const recipe = recipeOf('n0', { ...Object.fromEntries(chain.slice(0, 400)), n399: step('Do n399', 'done'), done });
    const trace = ids.map((id) =>
      entry(id, {
        output: { exitCode: 0, stdout: 'line of output\n'.repeat(20) },
        asserts: [{ held: true, operator: 'eq', path: '$.exitCode', expected: 0, actual: 0 }],
      }),
    );
    const html = reviewPage({ ...facts, recipe, trace });
    const { page, messages } = await show(html);
    await page.locator('#search').fill('do n1999', { timeout: eventMs });
    await expect.poll(() => page.locator('#found').textContent()).toBe('1 entry');
    expect(messages).toEqual([]);
  });

  test('the review page runs no script from a recipe, a run or a package', async () => {
    const attacks = [
      '<script>window.hit=1</script>',
      '"><img src=x onerror="window.hit=1">',
      "'><svg onload=window.hit=1>",
      '</style><script>window.hit=1</script>',
      'javascript:window.hit=1',
      '</title><script>window.hit=1</script>',
      ...hostileTexts,
    ];
    const trace = attacks.map((attack, index) =>
      entry(`n${index} ${attack}`, {
        intent: attack,
        action: attack,
        error: attack,
        ok: false,
        output: { [attack]: attack, stdout: attack },
        artifacts: [attack],
        asserts: [{ held: false, operator: attack, path: attack, expected: attack, actual: attack, proofTarget: attack }],
      }),
    );
    const all = attacks.join(' ');
    const hostile = reviewPage({
      ...{
        trace,
        recipe: recipeOf(
          'a',
          { a: step(all, 'done', { assert: { path: '$', operator: 'eq', value: all } }), done },
          { title: all },
        ),
      },
      summary: {
        ...summary,
        reason: all,
        git_ref: all,
        recipe: { id: all, digest: all, title: all },
        proof: attacks.map((id) => ({ id, claim: id, status: 'refuted' as const, reason: id })),
        inputs: { [all]: { value: all, origin: all } },
      },
      artifacts: [
        ...artifacts,
        ...attacks.map((path) => ({ path: `${path}.png`, type: path, label: path, nodeId: path, proofTarget: path })),
      ],
    });
    const { page, messages } = await show(hostile);
    await page.locator('#open-all').click();
    for (const link of await page.locator('a[href*="javascript"]').all())
      expect(await link.getAttribute('href')).toMatch(/^(\.\/|#)/);
    expect(await page.evaluate(harm)).toEqual([undefined, 1, 0]);
    expect(messages.filter((text) => !/Failed to load resource|ERR_FILE_NOT_FOUND/.test(text))).toEqual([]);
    expect(await page.evaluate('document.body.innerText')).not.toMatch(/[^\P{C}\n\t]/u);
  });
});
