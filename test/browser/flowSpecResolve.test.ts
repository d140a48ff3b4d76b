// Targets are found by their description. A description that is not clear is refused: nothing is guessed.
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeCandidate, resolveTarget } from '../../src/formats/flowSpec/targets/resolveTarget.js';
import { plainCall } from '../../src/hosts/plain/plainHost.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import {
  foundTargets,
  misleadingTargets,
  moreFoundTargets,
  moreRefusedTargets,
  refusedTargets,
  type TargetCase,
} from './flowSpecTargets.js';

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await sharedChromium();
  page = await freshPage(browser);
});
afterAll(() => closeContexts(browser));

/** Returns the id of the element that was found, or the reason for a refusal. */
async function resolveId({ html, target, fill = undefined }: TargetCase): Promise<string> {
  await page.setContent(html);
  const resolution = await resolveTarget(page, { target, isFill: fill === true, call: plainCall });
  if (!resolution.found) return `refused: ${resolution.why}`;
  return (await page.locator(resolution.selector).getAttribute('id')) ?? describeCandidate(resolution.chosen);
}

describe('a description of a target', () => {
  // The wishlist button is the expected miss of the first set: a name with more words than the description is refused.
  test.for([
    ['the first', foundTargets, ['the wishlist button']],
    ['the second', moreFoundTargets, []],
  ] as const)(
    'at least nine of ten unambiguous targets of %s set are found, and never another element',
    async ([, set, expectedMisses]) => {
      const results: { target: string; means: string | undefined; got: string }[] = [];
      for (const each of set) results.push({ target: each.target, means: each.means, got: await resolveId(each) });
      expect(results.filter(({ means, got }) => got !== means && !got.startsWith('refused'))).toEqual([]);
      const missed = results.filter(({ means, got }) => got !== means).map(({ target }) => target);
      expect(missed).toEqual(expectedMisses);
      expect(missed.length).toBeLessThanOrEqual(set.length / 10);
    },
  );

  test.for([...refusedTargets, ...moreRefusedTargets, ...misleadingTargets])(
    'the target "$target" is refused as unclear on $html',
    async (each) => {
      expect(await resolveId(each)).toMatch(/^refused: (no element matches well enough|\d+ elements match equally well)$/);
    },
  );
});
