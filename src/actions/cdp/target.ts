import type { Page } from '@playwright/test';
import * as z from 'zod';
import { createUrlMatcher } from '../../browser/networkBlock.js';
import { findSettings } from '../../browser/pageSettings.js';
import { didYouMean } from '../../document/didYouMean.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { currentRunPages, pageTimeoutMs, withPageErrors } from '../ui/withPageErrors.js';

export const target = defineAction({
  name: 'cdp.target',
  description: 'Switches the following nodes to another page, popup or extension page, and waits for it to open.',
  schema: z.strictObject({
    role: z
      .string()
      .min(1)
      .optional()
      .describe('page: the first page. popup: the latest page that another page opened. extension: a page of an extension.'),
    url: z.string().min(1).optional().describe('A part of the URL. * matches any text.'),
    title: z.string().min(1).optional().describe('A part of the title.'),
  }),
  examples: [
    { description: 'Switch to the payment window.', node: { action: 'cdp.target', role: 'popup' } },
    { description: 'Go back to the shop.', node: { action: 'cdp.target', url: '/shop' } },
  ],
  // The action changes nothing in the app. It can fail all the same: a page that does not open is a failure of the app.
  effect: 'none',
  fallible: () => true,
  timeoutMs: 10_000,
  needs: ['page'],
  worksOverCdpPort: true,
  // The value of a reference is known only at run time.
  describeUnsupported: ({ fields: { role } }) =>
    typeof role !== 'string' || role.includes('{{') || pageRoles.includes(role)
      ? undefined
      : `${JSON.stringify(role)} is not a role of a page. Use ${pageRoles.join(', ')}, or "url" or "title"`,
  describeMissing: ({ fields }) => (Object.keys(fields).length === 0 ? '"role", "url" or "title"' : undefined),
  async run(fields, context) {
    const runPages = currentRunPages(context);
    const page = await waitForPage(fields, context);
    await findSettings(runPages)?.applyTo(page);
    runPages.switchTo(page);
    await withPageErrors(() => context.call(page, 'bringToFront'), context);
    await withPageErrors(
      () => context.call(page, 'waitForLoadState', 'domcontentloaded', { timeout: context.remainingMs() }),
      context,
    );
    const pages = runPages.context.pages();
    return { output: { url: page.url(), title: await page.title(), index: pages.indexOf(page), pages: pages.length } };
  },
});

type PageQuery = { role?: string | undefined; url?: string | undefined; title?: string | undefined };

const pollMs = 50;

async function waitForPage(query: PageQuery, context: ActionContext): Promise<Page> {
  const { clock, signal } = context;
  const pages = (): Page[] => currentRunPages(context).context.pages();
  const deadline = clock.now() + pageTimeoutMs(context);
  for (;;) {
    // No page can open after a crash, and a crash is not a failure of the app.
    const { lostError } = currentRunPages(context);
    if (lostError) throw lostError;
    const found = await findPages(pages(), query);
    const [first] = found;
    if (first && found.length === 1) return first;
    if (found.length > 1) {
      const message = `${found.length} pages match ${JSON.stringify(query)}: ${await describePages(found)}. Extend "url" or "title" so that only one page matches.`;
      throw new RecipeError('cdp.ambiguous_target', 'action', message);
    }
    if (clock.now() >= deadline || signal.aborted) {
      const message = `No page matches ${JSON.stringify(query)}. Open pages: ${await describePages(pages())}.`;
      throw new RecipeError('cdp.no_target', 'action', message);
    }
    await new Promise<void>((resume) => clock.after(pollMs, resume));
  }
}

async function findPages(pages: readonly Page[], { role, url, title }: PageQuery): Promise<Page[]> {
  const matchesUrl = createUrlMatcher(url ?? '');
  const found: Page[] = [];
  for (const page of pages) {
    if (page.isClosed() || !matchesUrl(page.url())) continue;
    if (title === undefined || (await titleOf(page)).includes(title)) found.push(page);
  }
  return role === undefined ? found : filterByRole(found, role);
}

async function describePages(pages: readonly Page[]): Promise<string> {
  const descriptions = pages.map(async (page) => `${page.url()} (${JSON.stringify(await titleOf(page))})`);
  return (await Promise.all(descriptions)).join(', ') || 'none';
}

async function titleOf(page: Page): Promise<string> {
  // The call fails while the page navigates or closes.
  return page.title().catch(() => '');
}

const pageRoles: readonly string[] = ['page', 'popup', 'extension'];

async function filterByRole(pages: readonly Page[], role: string): Promise<Page[]> {
  if (role === 'page') return pages.slice(0, 1);
  if (role === 'extension') return pages.filter((page) => /^(chrome|moz)-extension:/.test(page.url()));
  if (role === 'popup') {
    const openers = await Promise.all(pages.map((page) => page.opener()));
    return pages.filter((_, index) => openers[index]).slice(-1);
  }
  const message = `${JSON.stringify(role)} is not a role of a page. ${didYouMean(role, pageRoles)} You can also select the page with "url" or "title".`;
  throw new RecipeError('cdp.unknown_role', 'environment', message);
}
