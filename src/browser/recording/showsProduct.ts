// Whether a picture that nobody asked for may be proof: ui.screenshot refuses what this does not let count.
import type { Page } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import { PageLink } from '../hud/pageLink.js';
import { withinMs } from '../hud/withinMs.js';
import { readFacts } from '../pageFacts.js';
import { isOneColour } from '../picture.js';
import type { Stage } from '../stage.js';

export type Shown = Awaited<ReturnType<typeof askPage>>;

/** `shown`: what the page said of itself, if it answered. */
export function showsProduct(
  { front, hosts }: Stage,
  page: Page,
  { picture, shown }: { picture: Buffer; shown: Shown },
): boolean {
  if (front && front !== page) return false;
  if (hosts.size > 0 && !hosts.has(new URL(page.url()).host)) return false;
  return !isOneColour(picture) && (shown?.status ?? 0) < 400;
}

/** Which page it is: one question for all that is told of a picture. */
export async function askPage(page: Page, patienceMs: number): Promise<ReturnType<typeof readFacts> | undefined> {
  let shown: ReturnType<typeof readFacts> | undefined;
  const link = new PageLink(page);
  // Its text is of no interest here.
  const asking = link.call(readFacts, 0).then((facts) => {
    shown = facts;
  });
  await withinMs(systemClock, patienceMs, asking);
  await withinMs(systemClock, patienceMs, link.close());
  return shown;
}
