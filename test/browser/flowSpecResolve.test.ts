// Targets that are found again by their description: what is meant is found, what is not clear is refused, nothing is guessed.
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeCandidate, resolveTarget } from '../../src/formats/flowSpec/targets/resolveTarget.js';
import { plainCall } from '../../src/hosts/plain/plainHost.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import {
  foundTargets,
  moreFoundTargets,
  moreRefusedTargets,
  refusedTargets,
  saysMore,
  type TargetCase,
} from './flowSpecTargets.js';

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await sharedChromium();
  page = await freshPage(browser);
});
afterAll(() => closeContexts(browser));

/** The id of what was taken for it, or why nothing was. */
async function meantBy({ html, target, fill = undefined }: TargetCase): Promise<string> {
  await page.setContent(html);
  const resolution = await resolveTarget(page, { target, isFill: fill === true, call: plainCall });
  if (!resolution.found) return `refused: ${resolution.why}`;
  return (await page.locator(resolution.selector).getAttribute('id')) ?? describeCandidate(resolution.chosen);
}

describe('a description of a target', () => {
  // A name that says more than was asked for is not taken, though this one would have been right.
  test.for([
    ['the first', foundTargets, ['the wishlist button']],
    ['the second', moreFoundTargets, []],
  ] as const)('finds at least nine of ten unambiguous targets of %s set, and never another element', async ([, set, known]) => {
    const results: { target: string; means: string | undefined; got: string }[] = [];
    for (const each of set) results.push({ target: each.target, means: each.means, got: await meantBy(each) });
    expect(results.filter(({ means, got }) => got !== means && !got.startsWith('refused'))).toEqual([]);
    const missed = results.filter(({ means, got }) => got !== means).map(({ target }) => target);
    expect(missed).toEqual(known);
    expect(missed.length).toBeLessThanOrEqual(set.length / 10);
  });

  test.for([...refusedTargets, ...moreRefusedTargets, ...saysMore])(
    'that is not clear is refused: $target on $html',
    async (each) => {
      expect(await meantBy(each)).toMatch(/^refused: (no element matches well enough|\d+ elements match equally well)$/);
    },
  );
});
