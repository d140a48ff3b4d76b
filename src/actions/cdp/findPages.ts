// Pages by what a node says of them.
import type { Page } from '@playwright/test';
import { createUrlMatcher } from '../../browser/networkBlock.js';
import { didYouMean } from '../../document/didYouMean.js';
import { RecipeError } from '../../evidence/recipeError.js';

type Wanted = { role?: string | undefined; url?: string | undefined; title?: string | undefined };

export async function findPages(pages: readonly Page[], { role, url, title }: Wanted): Promise<Page[]> {
  const fits = createUrlMatcher(url ?? '');
  const found: Page[] = [];
  for (const page of pages) {
    if (page.isClosed() || !fits(page.url())) continue;
    if (title === undefined || (await titleOf(page)).includes(title)) found.push(page);
  }
  return role === undefined ? found : withRole(found, role);
}

export async function describePages(pages: readonly Page[]): Promise<string> {
  const said = pages.map(async (page) => `${page.url()} (${JSON.stringify(await titleOf(page))})`);
  return (await Promise.all(said)).join(', ') || 'none';
}

async function titleOf(page: Page): Promise<string> {
  // A page that is just being replaced or closed has none.
  return page.title().catch(() => '');
}

export const roles: readonly string[] = ['page', 'popup', 'extension'];

async function withRole(pages: readonly Page[], role: string): Promise<Page[]> {
  if (role === 'page') return pages.slice(0, 1);
  if (role === 'extension') return pages.filter((page) => /^(chrome|moz)-extension:/.test(page.url()));
  if (role === 'popup') {
    const openers = await Promise.all(pages.map((page) => page.opener()));
    return pages.filter((_, index) => openers[index]).slice(-1);
  }
  const message = `There is no role ${JSON.stringify(role)} for a page. ${didYouMean(role, roles)} Or name it by "url" or "title".`;
  throw new RecipeError('cdp.unknown_role', 'environment', message);
}
