// Whether a page does anything at all: one that hangs would hold up every picture of it.
import type { Page } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import { PageLink } from '../hud/pageLink.js';
import { withinMs } from '../hud/withinMs.js';

const links = new WeakMap<Page, PageLink>();

export function answers(page: Page, ms: number): Promise<boolean> {
  const link = links.get(page) ?? new PageLink(page);
  links.set(page, link);
  return withinMs(systemClock, ms, link.call(nothing, undefined));
}

function nothing(): void {}
