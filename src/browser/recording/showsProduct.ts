// Whether a picture that nobody asked for may be proof: ui.screenshot refuses what this does not let count.
import type { Page } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import { PageLink } from '../hud/pageLink.js';
import { withinMs } from '../hud/withinMs.js';
import { mostText, readFacts } from '../pageFacts.js';
import { isOneColour } from '../picture.js';
import type { Stage } from '../stage.js';

const patienceMs = 1_000;

export async function showsProduct({ front, hosts }: Stage, page: Page, picture: Buffer): Promise<boolean> {
  if (front && front !== page) return false;
  if (hosts.size > 0 && !hosts.has(new URL(page.url()).host)) return false;
  return !isOneColour(picture) && !(await isErrorPage(page));
}

async function isErrorPage(page: Page): Promise<boolean> {
  let status = 0;
  const link = new PageLink(page);
  const asking = link.call(readFacts, mostText).then((facts) => {
    status = facts.status;
  });
  await withinMs(systemClock, patienceMs, asking);
  await withinMs(systemClock, patienceMs, link.close());
  return status >= 400;
}
